#!/usr/bin/env python3
"""catalog_report.py CANDO - docs/catalog-report.md on stdout: what the catalog knows, and how well it guesses.

What is inherited is cross-validated: the newest fifth of each family is held out, and the models before it are asked.
The exit code is 1 if a limit of the catalog is passed.
"""
import tomllib,glob,json,subprocess,re,collections,sys
C=sys.argv[1]
F=['tool_calling','parallel_tool_calls','tool_choice','structured_output','json_mode','reasoning','reasoning_effort','prompt_caching','input_image','input_audio','input_video','input_pdf','output_image','temperature','system_message','streaming','context_window','max_output']
MOD={'input_modalities':{'text':'input_text','image':'input_image','audio':'input_audio','video':'input_video','pdf':'input_pdf'},'output_modalities':{'text':'output_text','image':'output_image','audio':'output_audio','video':'output_video'}}
rows=[]
for f in glob.glob('catalog/facts/*.toml'):
    for m in tomllib.load(open(f,'rb'))['models']:
        s=dict(m['set'])
        for l,w in MOD.items():
            if l in s:
                for k,v in w.items(): s.setdefault(v,'native' if k in s[l] else 'unsupported')
        rows.append((m['provider'],m['id'],s))
p=subprocess.run([C,'batch'],input='\n'.join(json.dumps({"op":"model_id","provider":r[0],"model":r[1]}) for r in rows),stdout=subprocess.PIPE,text=True)
G=collections.defaultdict(list)
for r,l in zip(rows,p.stdout.splitlines()):
    m=json.loads(l)['result']
    if m['canonical'] and r[2].get('model_kind','chat')=='chat': G[m['canonical']].append((r[0],r[1],r[2]))
def lineage(c):
    lab,i=c.split('/',1); i=i.lower()
    i=re.sub(r'-(20\d{6}|20\d\d-\d\d-\d\d|\d\d-20\d\d)$','',i); i=re.sub(r'-(preview|exp|latest)$','',i)
    m=re.search(r'(?<![0-9])(\d+)(?:[.p](\d+)|-(\d{1,2})(?=$|-))?(?![0-9]*b\b)',i)
    if not m: return None
    maj=int(m.group(1)); mi=int(m.group(2) or m.group(3) or 0)
    return lab,i[:m.start()]+'#'+i[m.end():],i[:m.start()].rstrip('-'),(maj,mi)
def verdict(c,f):
    lab=c.split('/')[0]; v=[]
    for p,i,s in G[c]:
        if p==lab and f in s: return s[f]
        if f in s: v.append(s[f])
    return v[0] if v and all(x==v[0] for x in v) else None
L={c:lineage(c) for c in G}
def rel(c):
    d=[s.get('release_date') for _,_,s in G[c] if s.get('release_date')]
    return min(d) if d else '0'
fam=collections.defaultdict(list); tier=collections.defaultdict(list)
for c,l in L.items():
    if l: fam[l[0],l[2]].append(c); tier[l[0],l[1]].append(c)
held=set()
for k,v in fam.items():
    v.sort(key=lambda c:(L[c][3],rel(c))); n=max(1,round(len(v)*.2)) if len(v)>1 else 0
    held|=set(v[len(v)-n:]) if n else set()
def ver(c,f,avoid):
    l=L[c]; prev=[d for d in tier[l[0],l[1]] if d!=c and d not in avoid and L[d][3]<l[3]]
    if not prev: return None
    d=max(prev,key=lambda d:(L[d][3],rel(d))); return verdict(d,f)
def newest(c,f,avoid,k=3):
    l=L[c]; prev=sorted([d for d in fam[l[0],l[2]] if d!=c and d not in avoid and L[d][3]<=l[3]],key=lambda d:(L[d][3],rel(d)),reverse=True)
    v=[x for x in (verdict(d,f) for d in prev) if x is not None][:k]
    return v[0] if len(v)>=2 and all(x==v[0] for x in v) else None

def ask(*args):
    return subprocess.run([C, *args], stdout=subprocess.PIPE, text=True).stdout

CORE = ['tool_calling', 'structured_output', 'reasoning', 'input_image', 'input_pdf', 'context_window', 'max_output', 'temperature']
M = json.loads(ask('models', '--json', '--limit', '100000'))['models']
facts = len(rows)
providers = len({r[0] for r in rows})
kinds = collections.Counter(m['fields'].get('model_kind') or 'not said' for m in M)
noise = sum(len(v.replace('.', '').strip('0')) >= 16 for r in rows for v in r[2].get('price', {}).values())
tools = [m for m in M if m['fields'].get('model_kind') not in (None, 'chat', 'completion', 'realtime')
         and m['fields'].get('tool_calling') not in (None, 'unsupported')]
ids = [l.strip() for l in open('tests/popular.txt') if l.strip() and l[0] != '#']
p = subprocess.run([C, 'batch'], input='\n'.join(json.dumps({'op': 'resolve', 'target': i}) for i in ids), stdout=subprocess.PIPE, text=True)
unknown = collections.Counter(f for l in p.stdout.splitlines() for f in CORE if json.loads(l)['result']['fields'].get(f) is None)
print('# What the catalog knows\n\nWritten by `make catalog-report`; a change of the catalog is reviewed by its difference.\n')
print(f'| | |\n|---|---|\n| offerings with facts | {facts} |\n| providers | {providers} |\n| prices with the digits of a binary fraction | {noise} |\n| models of other kinds that claim tools | {len(tools)} |\n')
print('## Kinds\n\n| kind | offerings |\n|---|---|')
for k, n in sorted(kinds.items(), key=lambda x: (-x[1], x[0])):
    print(f'| {k} | {n} |')
total = sum(unknown.values())
print(f'\n## Unknown on the most used models\n\nThe ids of models that are used most, summer 2026 (`tests/popular.txt`). {total} of {len(ids) * len(CORE)} core fields, {100 * total / len(ids) / len(CORE):.1f}%.\n\n| field | unknown |\n|---|---|')
for f in CORE:
    print(f'| {f} | {unknown[f]} |')
said = {(q, i) for r in tomllib.load(open('catalog/curated/snapshots.toml', 'rb'))['rules'] if r['evidence'] != 'inferred'
        for q in r['providers'] for i in r['match']['exact']}
by = {(m['provider'], m['model']): m['fields'] for m in M}
newest_of = {}
for q, i in by:
    m = re.match(r'(.+?)-(20\d{6}|20\d\d-\d\d-\d\d)$', i)
    if m and (q, m[1]) in by:
        newest_of[q, m[1]] = max(i, newest_of.get((q, m[1]), i))
contradicted, excused = [], []
for (q, i), dated in sorted(newest_of.items()):
    for f in CORE:
        a, b = by[q, i].get(f), by[q, dated].get(f)
        if a is not None and b is not None and a != b:
            (excused if (q, dated) in said else contradicted).append((q, i, dated, f, a, b))
print(f'\n## Aliases and their newest dated ids\n\n{len(newest_of)} pairs; {len(contradicted)} contradictions without a source, {len(excused)} that a provider\'s page tells.\n')
print('| provider | alias | dated id | field | alias says | dated id says |\n|---|---|---|---|---|---|')
for c in contradicted + excused:
    print('| ' + ' | '.join(map(str, c)) + ' |')
print('\n## Conflicts between sources\n\nWhat `cando conflicts` lists, by kind.\n\n| kind | conflicts | most often about |\n|---|---|---|')
about = collections.defaultdict(collections.Counter)
for c in json.loads(ask('conflicts', '--json', '--limit', '100000'))['conflicts']:
    about[c['kind']][c['field']] += 1
for k, n in sorted(about.items()):
    print(f'| {k} | {sum(n.values())} | {", ".join(f for f, _ in sorted(n.items(), key=lambda x: (-x[1], x[0]))[:3])} |')
words = tomllib.load(open('catalog/borrow.toml', 'rb'))['borrow']
bad = []
print('\n## What is inherited\n\nThe newest fifth of each family held out; `used` is what `catalog/borrow.toml` lets through, from 95% on.\n')
print('| from | field | yes right | no right | used |\n|---|---|---|---|---|')
for name, fn in (('version', ver), ('family', newest)):
    for f in F[:-2]:
        t = collections.Counter()
        for c in sorted(held):
            truth, g = verdict(c, f), fn(c, f, held)
            if truth is None or g is None:
                continue
            yes = g != 'unsupported'
            t[yes, (truth != 'unsupported') == yes] += 1
        y, n = (t[True, True], t[True, True] + t[True, False]), (t[False, True], t[False, True] + t[False, False])
        used = name in words.get(f, [])
        if used and y[0] < .95 * y[1]:
            bad.append(f'{name} {f}')
        print(f'| {name} | {f} | {y[0]} of {y[1]} | {n[0]} of {n[1]} | {"yes" if used else ""} |')
too_many = total > .03 * len(ids) * len(CORE)
if bad or noise or tools or contradicted or too_many or facts < 3000 or providers < 60:
    print('passed a limit:', bad, noise, len(tools), contradicted, total, facts, providers, file=sys.stderr)
    sys.exit(1)
