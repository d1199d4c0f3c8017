import { Transform, type TransformCallback } from 'node:stream'

/**
 * Passes on what is written in one turn of the event loop as one piece. React writes a page in some thirty pieces of 2 KB, and each of
 * them would cost a system call; what comes later, comes later.
 */
export class OneWritePerTurn extends Transform {
  #parts: Buffer[] = []

  constructor() {
    super({ writableHighWaterMark: 512 * 1024 })
  }

  override _transform(part: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#parts.push(part) === 1) setImmediate(() => this.#passOn())
    done()
  }

  override _flush(done: TransformCallback): void {
    this.#passOn()
    done()
  }

  #passOn(): void {
    if (this.#parts.length === 0 || this.destroyed) return
    this.push(this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts))
    this.#parts = []
  }
}
