import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { removeEmbedded } from '../../server/embedded-pg.mjs'

export type Command = {
  child: ChildProcess
  pid: number
  output: () => string
  /** Waits until it has said this. */
  says: (text: string | RegExp) => Promise<void>
  /** Waits until it has ended by itself; 128 + the signal's number does not count as an exit code. */
  exitCode: () => Promise<number | null>
}

/** A program of the project as a child, ended with the test whatever happens. Nothing of our own settings reaches it. */
export function aCommand(program: string, args: string[], settings: Record<string, string> = {}): Command {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await Promise.race([exited, sleep(5000)])
    child.kill('SIGKILL')
  })
  return {
    child,
    pid: child.pid ?? 0,
    output: () => text,
    says: (wanted) =>
      eventually(
        () => matches(text, wanted),
        () => `"${wanted}" was not said, but:\n${text}`,
      ),
    exitCode: () => exited,
  }
}

function matches(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)
}

/** Looks again and again until it is so. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  complaint: () => string = () => 'it did not become so',
): Promise<void> {
  for (const end = Date.now() + 40_000; Date.now() < end; await sleep(25)) if (await isSo()) return
  throw new Error(complaint())
}

/** A data folder of the test's own, removed with the database in it once its owner is gone. */
export function aDataFolder(): string {
  const name = `test-data-${randomBytes(4).toString('hex')}`
  mkdirSync(`.data/${name}`, { recursive: true })
  onTestFinished(async () => {
    await removeEmbedded(`.data/${name}/pg`)
    rmSync(`.data/${name}`, { recursive: true, force: true })
  })
  return `.data/${name}`
}
