import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { removeEmbedded } from '../../server/embedded-pg.mjs'
import { commonEnv } from '../browser/support/product-env.ts'

export type Command = {
  child: ChildProcess
  pid: number
  output: () => string
  /** Waits until the output contains this text. */
  says: (text: string | RegExp) => Promise<void>
  /** Waits until it has ended by itself. Null if a signal ended it. */
  exitCode: () => Promise<number | null>
}

/** Runs a program of the project as a child, which always ends with the test. None of our own settings reach it. */
export function aCommand(program: string, args: string[], settings: Record<string, string> = {}): Command {
  const child = spawn(program, args, {
    env: { ...commonEnv(), ...settings },
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
        () => `The output does not contain "${wanted}":\n${text}`,
      ),
    exitCode: () => exited,
  }
}

function matches(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)
}

/** Checks repeatedly until the condition holds. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  complaint: () => string = () => 'The condition did not become true',
): Promise<void> {
  for (const end = Date.now() + 40_000; Date.now() < end; await sleep(25)) if (await isSo()) return
  throw new Error(complaint())
}

/** A data folder for this test. It is removed with the database in it once the database's owner is gone. */
export function aDataFolder(): string {
  const name = `test-data-${randomBytes(4).toString('hex')}`
  mkdirSync(`.data/${name}`, { recursive: true })
  onTestFinished(async () => {
    await removeEmbedded(`.data/${name}/pg`)
    rmSync(`.data/${name}`, { recursive: true, force: true })
  })
  return `.data/${name}`
}
