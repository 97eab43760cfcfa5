// Runs a program in another root folder, which shares nothing with this machine but the kernel.
import { spawn } from 'node:child_process';

/** The kernel's own file systems go in, in a mount namespace that ends with the program. */
const enter = `
root=$1 who=$2
shift 2
for part in proc sys dev; do
  mkdir -p "$root/$part"
  mount --rbind "/$part" "$root/$part"
done
exec chroot --userspec="$who" "$root" "$@"
`;

/** Gives { status, output } of `command` in `root`, as this uid and its group, with these variables alone. */
export function ranInside(root, { uid, env = {} }, command) {
  return new Promise((resolve, reject) => {
    const args = ['--mount', '--propagation', 'private', 'sh', '-c', enter, 'sh', root, `${uid}:${uid}`, ...command];
    const child = spawn('unshare', args, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ status: code ?? signal, output }));
  });
}
