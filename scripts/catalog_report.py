#!/usr/bin/env python3
"""catalog_report.py CANDO - docs/catalog-report.md on stdout: what the catalog knows, and how well it guesses.

What is inherited is cross-validated: the newest fifth of each family is held out, and the models before it are asked.
The exit code is 1 if a limit of the catalog is passed.
"""
import tomllib,glob,json,subprocess,re,collections,sys
import os
os.environ.setdefault('CANDO_TODAY', '2026-11-16') # what is retired then stays so
C=sys.argv[1]
def ask(*args):
    return subprocess.run([C, *args], stdout=subprocess.PIPE, text=True).stdout
def batch(questions, *args):
    p = subprocess.run([C, 'batch', *args], input='\n'.join(json.dumps(q) for q in questions), stdout=subprocess.PIPE, text=True)
    return [json.loads(l).get('result') for l in p.stdout.splitlines()]
M = json.loads(ask('models', '--json', '--limit', '100000'))['models']
KIND = {(m['provider'], m['model']): m['fields'].get('model_kind') for m in M}
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
BY={(m['provider'],m['model']):m['fields'] for m in M}
WITHOUT=re.findall(r'^WITHOUT\((\w+), (\w+)\)',open('src/catalog/without.def').read(),re.M)
for r in rows: # what follows from what it lacks is nobody's word
    for s,t in WITHOUT:
        if BY.get((r[0],r[1]),{}).get(s)=='unsupported': r[2].pop(t,None)
for r in rows: # what a correction by hand says instead of the facts
    for k,v in BY.get((r[0],r[1]),{}).items():
        if k in r[2] and isinstance(r[2][k],str) and isinstance(v,str): r[2][k]=v
G=collections.defaultdict(list) # by model: offerings; those that the lab does not list are told by what is left of the id
LISTED=set()
for r,m in zip(rows,batch({"op":"model_id","provider":r[0],"model":r[1]} for r in rows)):
    name=m['canonical'] or (m['vendor'] and m['base'] and m['vendor']+'/'+m['base'])
    if not name: continue
    name=re.sub(r'-(20\d{6}|20\d\d-\d\d-\d\d|\d\d-20\d\d)$','',name.lower())
    G[name].append((r[0],r[1],r[2]))
    if m['canonical']: LISTED.add(name)
def talks(c):
    return all(KIND.get((p,i)) in (None,'chat') for p,i,_ in G[c])
def lineage(c):
    lab,i=c.split('/',1)
    i=re.sub(r'-(preview|exp|latest)$','',i)
    m=re.search(r'(?<![0-9])(\d+)(?:[.p](\d+)|-(\d{1,2})(?=$|-))?(?![0-9]*b\b)',i)
    word=re.match(r'[a-z]*',i)[0]
    if not m or not word: return None
    words={w for w in (i[len(word):m.start()]+'-'+i[m.end():]).split('-') if w and not re.search(r'\d',w)}
    return lab,i[:m.start()]+'#'+i[m.end():],word,(int(m.group(1)),int(m.group(2) or m.group(3) or 0)),words
LABS={l['id']:{l['id'],*l.get('aliases',[])} for l in tomllib.load(open('catalog/labs.toml','rb'))['labs']} # and what its APIs are called
def verdict(c,f):
    lab=LABS.get(c.split('/')[0],()); v=[]
    for p,i,s in G[c]:
        if p in lab and f in s: return s[f]
        if f in s: v.append(s[f])
    return v[0] if v and all(x==v[0] for x in v) else None
L={c:lineage(c) for c in LISTED if talks(c)}
fam=collections.defaultdict(list); tier=collections.defaultdict(list)
for c,l in L.items():
    if l: fam[l[0],l[2]].append(c); tier[l[0],l[1]].append(c)
held=set()
for k,v in fam.items():
    v.sort(key=lambda c:(L[c][3],c)); n=max(1,round(len(v)*.2)) if len(v)>1 else 0
    held|=set(v[len(v)-n:]) if n else set()
def ver(c,f,avoid):
    l=L[c]; prev=[d for d in tier[l[0],l[1]] if d!=c and d not in avoid and L[d][3]<l[3]]
    return verdict(max(prev,key=lambda d:(L[d][3],d)),f) if prev else None
def newest(c,f,avoid):
    l=L[c]; prev=[(d,verdict(d,f)) for d in reversed(fam[l[0],l[2]]) if d!=c and d not in avoid and L[d][3]<=l[3]]
    prev=[(d,v) for d,v in prev if v is not None]
    prev=[(d,v) for d,v in prev if L[d][4]<=l[4]] or prev # a -vl or a -coder does not speak for all
    if not prev or any(v!=prev[0][1] for _,v in prev[:2]): return None
    for w in l[4]:
        if next((v for d,v in prev if w in L[d][4]),None)=='unsupported': return None
    return prev[0][1]

ROUTERS = ('opencode', 'openrouter', 'requesty', 'vercel') # those with facts
CORE = ['tool_calling', 'structured_output', 'reasoning', 'input_image', 'input_pdf', 'context_window', 'max_output', 'temperature']
facts = len(rows)
providers = len({r[0] for r in rows})
kinds = collections.Counter(m['fields'].get('model_kind') or 'not said' for m in M)
noise = sum(len(v.replace('.', '').strip('0')) >= 16 for r in rows for v in r[2].get('price', {}).values())
tools = [m for m in M if m['fields'].get('model_kind') not in (None, 'chat', 'completion', 'realtime')
         and m['fields'].get('tool_calling') not in (None, 'unsupported')]
ids = [l.strip() for l in open('tests/popular.txt') if l.strip() and l[0] != '#']
unknown = collections.Counter(f for r in batch({'op': 'resolve', 'target': i} for i in ids) for f in CORE if r['fields'].get(f) is None)
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

# -- what is borrowed: each offering that says something, by what others would have lent it
def lent(group, self, f):
    """By mechanism: what it would give to this offering."""
    provider, out = group[self][0], {}
    lab = LABS.get(NAME.split('/')[0], ())
    say = lambda pick: [s[f] for k, (p, i, s) in enumerate(group) if k != self and f in s and pick(p)]
    twins, labs = say(lambda p: p == provider), say(lambda p: p in lab and p != provider)
    hosts = say(lambda p: p not in lab and p != provider)
    if twins and len(set(twins)) == 1: out['twin'] = twins[0]
    if labs: out['lab'] = labs[0]
    if len(hosts) > 1 and len(set(hosts)) == 1: out['hosts'] = hosts[0]
    if len(hosts) == 1 and not labs: out['host'] = hosts[0]
    return out
def judges(p, i): # is it an offering of today to talk to?
    m = BY.get((p, i), {})
    return m.get('model_kind') in (None, 'chat') and m.get('status') != 'retired'
LEAST = 20 # offerings, for a figure to count
score = collections.defaultdict(lambda: [0, 0])
for NAME, group in G.items():
    for k, (p, i, s) in enumerate(group):
        if not judges(p, i):
            continue
        for f in words:
            if f not in s or isinstance(s[f], bool): continue
            if f == 'max_output' and s[f] >= s.get('context_window', 0): continue # nobody's limit, but all that fits
            for how, v in lent(group, k, f).items():
                no = v == 'unsupported'
                right = s[f] <= v if isinstance(v, int) else (s[f] == 'unsupported') == no
                score[how + ('-no' if no else ''), f][0] += right
                score[how + ('-no' if no else ''), f][1] += 1
HOW = ['twin', 'twin-no', 'lab', 'lab-no', 'hosts', 'hosts-no', 'host', 'host-no']
print('\n## What is borrowed\n\nEvery offering that says something, held against what others would have lent it; a limit is right if the offering\'s own is not above it.\n')
print('| field |' + ''.join(f' {h} |' for h in HOW) + '\n' + '|---' * (len(HOW) + 1) + '|')
for f in words:
    cells = []
    for h in HOW:
        a, n = score.get((h, f), (0, 0))
        used = h in words[f]
        if used and n >= LEAST and a < (.9 if f in ('context_window', 'max_output') else .95) * n:
            bad.append(f'{h} {f} {a}/{n}')
        cells.append(f'{"**" if used else ""}{a} of {n}{"**" if used else ""}' if n else ('unused' if not used else '-'))
    print(f'| {f} | ' + ' | '.join(cells) + ' |')

# -- rules for families: what they say without any facts, held against the facts
said, docs = collections.defaultdict(lambda: [0, 0]), {}
rules = [a for f in ['catalog/providers.toml', 'catalog/labs.toml', 'catalog/spellings.toml', 'catalog/family'] for a in ('--rules', f)]
for r, a in zip(rows, batch(({'op': 'resolve', 'target': {'provider': r[0], 'model': r[1]}, 'why': True} for r in rows), *rules)):
    if not a or not judges(r[0], r[1]): continue
    for f, w in a['why'].items():
        v = a['fields'].get(f)
        docs[w.get('rule')] = w.get('evidence') != 'inferred'
        if v is None or f not in r[2] or w.get('from') != 'rule' or r[2][f] not in ('native', 'emulated', 'unsupported'): continue
        said[w['rule'], f][0] += (v == 'unsupported') == (r[2][f] == 'unsupported')
        said[w['rule'], f][1] += 1
print('\n## Rules for families\n\nWhat `catalog/family` says of offerings whose facts say something, where that is less than all of them. What a provider documents stands against what resellers list.\n\n| rule | field | right | |\n|---|---|---|---|')
for (rule, f), (a, n) in sorted(said.items()):
    if a == n: continue
    print(f'| {rule} | {f} | {a} of {n} | {"documented" if docs[rule] else ""} |')
    if n >= LEAST and a < .95 * n and not docs[rule]:
        bad.append(f'{rule} {f} {a}/{n}')

# -- what cannot be had alone
alone = [f"{m['provider']}/{m['model']} {t}" for m in M for s, t in WITHOUT
         if m['fields'].get(s) == 'unsupported' and m['fields'].get(t) not in (None, 'unsupported', 'unknown')]
print(f'\n## Within one model\n\n| | |\n|---|---|\n| has what it cannot have without what it lacks | {len(alone)} |')
bad += alone

# -- lives: what a lab has ended is not alive where requests are only passed on, and what it serves can be found by others
names = [m['canonical'] for m in batch({'op': 'model_id', 'provider': m['provider'], 'model': m['model']} for m in M)]
kind_of = {p['id']: p.get('kind') for p in tomllib.load(open('catalog/providers.toml', 'rb'))['providers']}
lives, weights = collections.defaultdict(set), set()
for m, n in zip(M, names):
    if n and m['provider'] == n.split('/')[0]: lives[n].add(m['fields'].get('status'))
    if n and m['fields'].get('open_weights'): weights.add(n)
ended = {n for n, s in lives.items() if s == {'retired'}} - weights
ghosts = [f"{m['provider']}/{m['model']}" for m, n in zip(M, names) if n in ended and n.split('/')[0] in ('anthropic', 'google', 'openai', 'xai')
          and kind_of.get(m['provider']) == 'router' and m['provider'] in ROUTERS and m['fields'].get('status') not in ('deprecated', 'retired', 'unlisted')]
lost = [f"{m['provider']}/{m['model']}" for m, n in zip(M, names) if not n and m['provider'] in LABS
        and m['fields'].get('status') == 'active' and m['fields'].get('model_kind') == 'chat']
print(f'\n## Lives\n\n| | |\n|---|---|\n| alive at routers, ended at the lab | {len(ghosts)} |\n| served by a lab, and not in its list of models | {len(lost)} |')
bad += ghosts + lost
too_many = total > .03 * len(ids) * len(CORE)
if bad or noise or tools or contradicted or too_many or facts < 3000 or providers < 60:
    print('passed a limit:', bad, noise, len(tools), contradicted, total, facts, providers, file=sys.stderr)
    sys.exit(1)
