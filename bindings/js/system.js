// system.js - a system for the command line: WASI (preview 1) over Node's files, and the few functions beyond it
// that bindings/wasm/posix.c asks for.
//
// It keeps no walls: the program sees what its user sees, as the native one does. Node's own node:wasi does, so
// that pipes such as /dev/stdin cannot be opened through it; it warns on stderr, too.
import * as fs from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url); // for what is seldom needed
const { isatty } = require("node:tty");

// WASI's error numbers are the places in this list.
const errors =
  "SUCCESS 2BIG ACCES ADDRINUSE ADDRNOTAVAIL AFNOSUPPORT AGAIN ALREADY BADF BADMSG BUSY CANCELED CHILD CONNABORTED CONNREFUSED CONNRESET DEADLK DESTADDRREQ DOM DQUOT EXIST FAULT FBIG HOSTUNREACH IDRM ILSEQ INPROGRESS INTR INVAL IO ISCONN ISDIR LOOP MFILE MLINK MSGSIZE MULTIHOP NAMETOOLONG NETDOWN NETRESET NETUNREACH NFILE NOBUFS NODEV NOENT NOEXEC NOLCK NOLINK NOMEM NOMSG NOPROTOOPT NOSPC NOSYS NOTCONN NOTDIR NOTEMPTY NOTRECOVERABLE NOTSOCK NOTSUP NOTTY NXIO OVERFLOW OWNERDEAD PERM PIPE PROTO PROTONOSUPPORT PROTOTYPE RANGE ROFS SPIPE SRCH STALE TIMEDOUT TXTBSY XDEV NOTCAPABLE".split(" ");
const numberOf = (code) => Math.max(errors.indexOf(String(code).slice(1)), 0) || errors.indexOf("IO");
const [badFile, isSeekless] = ["EBADF", "ESPIPE"].map(numberOf);

const root = 3; // the one folder that is open from the start: "/"
const everyRight = 0x1fffffffn;
const seekRights = 0x24n; // a terminal is what has none of these
const types = { 0x6000: 1, 0x2000: 2, 0x4000: 3, 0x8000: 4, 0xc000: 6, 0xa000: 7 };
const typeOf = (stat) => types[Number(stat.mode) & 0xe000] ?? 0;

/** The program has ended, with this code. */
export class Exit {
  constructor(code) {
    this.code = code;
  }
}

/** The imports of a program that is given these arguments and, when they are read, the bytes of this file as catalog. */
export function system(args, env, catalog) {
  let memory;
  const bytes = () => new Uint8Array(memory.buffer);
  const view = () => new DataView(memory.buffer);
  const path = (at, length) => Buffer.from(memory.buffer, at, length);
  const pathTo0 = (at) => path(at, bytes().indexOf(0, at) - at);
  // "/" is where every path begins that the C library hands on; what it has opened since is not asked.
  const below = (folder, at, length) => Buffer.concat([Buffer.from("/"), path(at, length)]);

  // Open files: `fd` is Node's; `at` where a file is read next, if that can be chosen; `data` what is read instead of it,
  // `ahead` what is read before it.
  let created = 0o666; // the mode of a new file
  const files = [{ fd: 0 }, { fd: 1 }, { fd: 2 }, { folder: true }];
  const add = (file) => {
    let n = root + 1;
    while (files[n]) n++;
    files[n] = file;
    return n;
  };
  const sleep = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
  const patiently = (act) => {
    for (;;) {
      try {
        return act();
      } catch (e) {
        if (e.code !== "EAGAIN") throw e;
        sleep(); // a pipe that somebody made not to wait
      }
    }
  };
  const readFile = (file, to) => {
    if (file.data) {
      const n = file.data.copy(to, 0, file.at);
      file.at += n;
      return n;
    }
    if (file.ahead?.length) {
      const n = file.ahead.copy(to);
      file.ahead = file.ahead.subarray(n);
      return n;
    }
    const n = patiently(() => fs.readSync(file.fd, to, 0, to.length, file.at ?? null));
    if (file.at !== undefined) file.at += n;
    return n;
  };
  const bigint = true;
  const statOf = (file) => (file === files[root] ? fs.statSync("/", { bigint }) : fs.fstatSync(file.fd, { bigint }));
  const statAt = (path, follow) => (follow ? fs.statSync(path, { bigint }) : fs.lstatSync(path, { bigint }));

  // Texts, each with a 0 behind it, and where each begins.
  const list = (texts) => ({
    sizes(count, size) {
      view().setUint32(count, texts.length, true);
      view().setUint32(size, texts.reduce((n, text) => n + Buffer.byteLength(text) + 1, 0), true);
      return 0;
    },
    get(places, at) {
      for (const text of texts) {
        view().setUint32(places, at, true);
        at += Buffer.from(memory.buffer).write(text + "\0", at);
        places += 4;
      }
      return 0;
    },
  });
  // The same from the other side: places, up to a 0.
  const texts = (places) => {
    const out = [];
    for (let at; (at = view().getUint32(places, true)); places += 4) out.push(pathTo0(at).toString());
    return out;
  };
  const argv = list(args);
  const environ = list(Object.entries(env).map(([name, value]) => `${name}=${value}`));

  // Each buffer of a list of them, until one is not used up.
  const through = (list, count, total, act) => {
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const at = view().getUint32(list + 8 * i, true);
      const length = view().getUint32(list + 8 * i + 4, true);
      const n = length ? act(bytes().subarray(at, at + length)) : 0;
      sum += n;
      if (n < length) break;
    }
    view().setUint32(total, sum, true);
    return 0;
  };
  const writeAll = (fd, from) => {
    for (let n = 0; n < from.length; ) n += patiently(() => fs.writeSync(fd, from, n, from.length - n));
    return from.length;
  };

  const calls = {
    args_sizes_get: argv.sizes,
    args_get: argv.get,
    environ_sizes_get: environ.sizes,
    environ_get: environ.get,
    clock_time_get(clock, precision, at) {
      view().setBigUint64(at, clock === 1 ? process.hrtime.bigint() : BigInt(Date.now()) * 1000000n, true);
      return 0;
    },
    proc_exit(code) {
      throw new Exit(code);
    },
    fd_prestat_get(fd, at) {
      if (fd !== root) return badFile;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return 0;
    },
    fd_prestat_dir_name(fd, at) {
      bytes()[at] = 0x2f;
      return 0;
    },
    fd_fdstat_get(fd, at) {
      const terminal = fd <= 2 && isatty(fd);
      view().setUint8(at, terminal ? 2 : typeOf(statOf(files[fd])));
      view().setUint16(at + 2, 0, true);
      view().setBigUint64(at + 8, terminal ? everyRight & ~seekRights : everyRight, true);
      view().setBigUint64(at + 16, everyRight, true);
      return 0;
    },
    fd_fdstat_set_flags: () => 0,
    fd_close(fd) {
      const file = files[fd];
      files[fd] = undefined;
      if (file.fd !== undefined) fs.closeSync(file.fd);
      return 0;
    },
    fd_sync(fd) {
      fs.fsyncSync(files[fd].fd);
      return 0;
    },
    fd_read: (fd, list, count, total) => through(list, count, total, (to) => readFile(files[fd], to)),
    fd_write: (fd, list, count, total) => through(list, count, total, (from) => writeAll(files[fd].fd, from)),
    fd_seek(fd, offset, whence, at) {
      const file = files[fd];
      if (file.at === undefined) return isSeekless;
      const from = whence === 0 ? 0 : whence === 1 ? file.at : Number(statOf(file).size);
      file.at = from + Number(offset);
      view().setBigUint64(at, BigInt(file.at), true);
      return 0;
    },
    fd_readdir(fd, at, size, cookie, used) {
      const { path: folder } = files[fd];
      const names = (files[fd].names ??= fs.readdirSync(folder, { encoding: "buffer" }));
      const whole = Buffer.from(memory.buffer, at, size);
      let n = 0;
      for (let i = Number(cookie); i < names.length && n < size; i++) {
        const entry = Buffer.alloc(24 + names[i].length);
        entry.writeBigUInt64LE(BigInt(i + 1), 0);
        entry.writeBigUInt64LE(1n, 8);
        entry.writeUInt32LE(names[i].length, 16);
        names[i].copy(entry, 24);
        n += entry.copy(whole, n); // what does not fit is asked for again
      }
      view().setUint32(used, n, true);
      return 0;
    },
    path_open(folder, follow, at, length, how, rights, inherited, flags, out) {
      const name = below(folder, at, length);
      const { constants: c } = fs;
      const access = rights & 64n ? (rights & 2n ? c.O_RDWR : c.O_WRONLY) : c.O_RDONLY;
      const more = [c.O_CREAT, c.O_DIRECTORY, c.O_EXCL, c.O_TRUNC].filter((_, bit) => how & (1 << bit));
      const mode = access | more.reduce((a, b) => a | b, 0) | (follow & 1 ? 0 : c.O_NOFOLLOW) | (flags & 1 ? c.O_APPEND : 0);
      const fd = fs.openSync(name, mode, created);
      const seekable = access === c.O_RDONLY && fs.fstatSync(fd).isFile();
      view().setUint32(out, add({ fd, path: name, at: seekable ? 0 : undefined }), true);
      return 0;
    },
    path_filestat_get(folder, follow, at, length, out) {
      const name = below(folder, at, length);
      const s = statAt(name, follow & 1);
      const row = [s.dev, s.ino, BigInt(typeOf(s)), s.nlink, s.size, s.atimeNs, s.mtimeNs, s.ctimeNs];
      row.forEach((value, i) => view().setBigUint64(out + 8 * i, value, true));
      return 0;
    },
    path_create_directory(folder, at, length) {
      fs.mkdirSync(below(folder, at, length), 0o700); // all folders of ours are their owner's alone
      return 0;
    },
    path_link(from, follow, at, length, to, toAt, toLength) {
      fs.linkSync(below(from, at, length), below(to, toAt, toLength));
      return 0;
    },
    path_readlink(folder, at, length, out, size, used) {
      const to = Buffer.from(fs.readlinkSync(below(folder, at, length)));
      view().setUint32(used, to.copy(bytes(), out, 0, size), true);
      return 0;
    },
    path_rename(from, at, length, to, toAt, toLength) {
      fs.renameSync(below(from, at, length), below(to, toAt, toLength));
      return 0;
    },
    path_unlink_file(folder, at, length) {
      fs.unlinkSync(below(folder, at, length));
      return 0;
    },
  };

  const beyond = {
    // Its size, or with an address also its bytes. A package without it is broken, which is thrown.
    catalog(at) {
      const fd = fs.openSync(catalog, "r");
      const { size } = fs.fstatSync(fd);
      if (at) fs.readSync(fd, bytes(), at, size, 0);
      fs.closeSync(fd);
      return size;
    },
    stat(at, fd, follow, out) {
      const s = at ? statAt(pathTo0(at), follow) : statOf(files[fd]);
      [s.dev, s.ino, s.size, s.mtimeMs / 1000n].forEach((value, i) => view().setBigUint64(out + 8 * i, value, true));
      [s.mode, s.nlink, s.uid, s.gid].forEach((value, i) => view().setUint32(out + 32 + 4 * i, Number(value), true));
      return 0;
    },
    creates(mode) {
      created = mode;
    },
    real(at, out, size) {
      const real = Buffer.concat([fs.realpathSync.native(pathTo0(at), "buffer"), Buffer.alloc(1)]);
      if (real.length > size) return numberOf("ENAMETOOLONG");
      bytes().set(real, out);
      return 0;
    },
    user: () => process.geteuid?.() ?? 0,
    chown(fd, owner, group) {
      fs.fchownSync(files[fd].fd, owner, group);
      return 0;
    },
    chmod(fd, mode) {
      fs.fchmodSync(files[fd].fd, mode);
      return 0;
    },
    // Node has no locks. A program that is handed the open file has: what it locks stays so while the file is open here.
    // Where there is none such, things go on without.
    lock(fd, atOnce) {
      const { spawnSync } = require("node:child_process");
      const ran = spawnSync("flock", [atOnce ? "-xn" : "-x", "3"], { stdio: ["ignore", "ignore", "ignore", files[fd].fd] });
      return ran.error || ran.status === 0 ? 0 : numberOf("EAGAIN");
    },
    columns: (fd) => (isatty(fd) ? new (require("node:tty").WriteStream)(fd).columns : 0),
    // What is written to it whole can be read afterwards.
    pipe(ends) {
      const shared = { data: Buffer.alloc(0), at: 0 };
      view().setInt32(ends, add(shared), true);
      view().setInt32(ends + 4, add({ pipe: shared }), true);
      return 0;
    },
    spawn(argvAt, envAt, out, status) {
      const { spawnSync } = require("node:child_process");
      const [program, ...rest] = texts(argvAt);
      const pairs = texts(envAt).map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]);
      const ran = spawnSync(program, rest, { env: Object.fromEntries(pairs), stdio: ["ignore", "pipe", "ignore"], maxBuffer: 2 ** 30 });
      if (ran.error) return numberOf(ran.error.code);
      files[out].pipe.data = ran.stdout;
      view().setInt32(status, ran.status ?? -1, true);
      return 0;
    },
    // From now on the file reads as if it had not been packed; returns zlib's number of what is wrong with it. What
    // stands before a damage cannot be had, what stands before an end that comes too early can.
    unpack(fd) {
      const file = files[fd];
      const head = Buffer.alloc(2);
      let n = 0;
      for (let got; n < 2 && (got = readFile(file, head.subarray(n))); ) n += got;
      if (n < 2 || head[0] !== 0x1f || head[1] !== 0x8b) {
        if (file.at === undefined) file.ahead = head.subarray(0, n);
        else file.at = 0;
        return 0;
      }
      const parts = [head];
      for (let got = n; got; ) {
        const part = Buffer.alloc(1 << 16);
        parts.push(part.subarray(0, (got = readFile(file, part))));
      }
      const { gunzipSync, constants } = require("node:zlib");
      const unpacked = (options) => {
        file.data = gunzipSync(Buffer.concat(parts), options);
        file.at = 0;
      };
      try {
        unpacked({});
        return 0;
      } catch (e) {
        file.data = Buffer.alloc(0);
        if (e.code === "ERR_BUFFER_TOO_LARGE") return constants.Z_ERRNO;
        if (e.code !== "Z_BUF_ERROR") return constants.Z_DATA_ERROR;
        unpacked({ finishFlush: constants.Z_SYNC_FLUSH });
        return constants.Z_BUF_ERROR;
      }
    },
  };

  // What fails in Node becomes a number; a reader that went away ends the program, as a signal would.
  const guard = (call) => (...given) => {
    try {
      return call(...given);
    } catch (e) {
      if (e instanceof Exit) throw e;
      if (e.code === "EPIPE") throw new Exit(128 + 13);
      if (typeof e.code !== "string") return badFile;
      return numberOf(e.code);
    }
  };
  const guarded = (table) => Object.fromEntries(Object.entries(table).map(([name, call]) => [name, guard(call)]));
  return {
    imports: { wasi_snapshot_preview1: guarded(calls), cando: { ...guarded(beyond), catalog: beyond.catalog } },
    use(exports) {
      memory = exports.memory;
    },
  };
}
