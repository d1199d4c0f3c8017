/**
 * Sends what waits in the ledger, over several connections at once. A row says `sending`, committed, before its mail is
 * handed to a connection, so a process that is killed leaves at most one mail in doubt for each connection.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { env } from '~/config/env.server.ts'
import type { Ctx } from '../context.ts'
import { claimMails, type MailToSend, markSending, recordOutcome, releaseMails, takeOver } from './ledger.server.ts'
import { handOver, isOutboxUsed, type Mail } from './mail.server.ts'
import { closeLane, NoConnection, openLane, type SmtpLane } from './smtp.server.ts'

export type { MailToSend } from './ledger.server.ts'

const mostClaimed = 200

type Input = {
  /** How to write the mails of each message, by its id. */
  messages: Map<number, (mail: MailToSend) => Mail>
  signal: AbortSignal
  /** When to stop and let other jobs work, in milliseconds since 1970. */
  endAt: number
}

/** Sends what is due of these messages. `problem`: no connection could be opened. */
export async function sendQueuedMails(
  ctx: Ctx,
  { messages, signal, endAt }: Input,
): Promise<{ handedOver: number; problem: string | null }> {
  const claim = randomUUID()
  await takeOver(ctx)
  const turns = mailsInTurn(() => claimMails(ctx, { claim, announcementIds: [...messages.keys()], most: mostClaimed }))
  const pace = paceOf(env().MAIL_PER_SECOND)
  let [handedOver, connections] = [0, 0]
  let problem: string | null = null

  async function work(): Promise<void> {
    let lane: SmtpLane | null = null
    try {
      while (!signal.aborted && Date.now() < endAt) {
        const mail = await turns.next()
        if (!mail) return
        if (!isOutboxUsed() && (!lane || lane.isBroken)) {
          if (lane) closeLane(lane)
          lane = null
          lane = await openLane().catch((error: Error) => {
            turns.giveBack(mail)
            throw error
          })
          connections++
        }
        await pace()
        const held = { id: mail.id, claim }
        const tried = await markSending(ctx, held)
        const render = messages.get(mail.announcementId)
        if (!tried || !render) continue
        const outcome = await handOver(render(mail), mail, lane)
        await patiently(() => recordOutcome(ctx, held, outcome, tried))
        handedOver++
      }
    } catch (error) {
      if (!(error instanceof NoConnection)) throw error
      problem = error.message
    } finally {
      if (lane) closeLane(lane)
    }
  }

  const works = await Promise.allSettled(Array.from({ length: env().MAIL_CONNECTIONS }, work))
  const failed = works.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
  // A server may allow fewer connections than we ask for.
  const lasting = connections === 0 ? problem : null
  await releaseMails(ctx, claim, lasting)
  return { handedOver, problem: lasting }
}

/** Hands out claimed mails one by one, and claims more when none is left. */
function mailsInTurn(claim: () => Promise<MailToSend[]>) {
  let claimed: MailToSend[] = []
  let claiming: Promise<void> | null = null
  return {
    async next(): Promise<MailToSend | null> {
      if (claimed.length === 0) {
        claiming ??= claim().then((mails) => {
          claimed = mails.reverse()
          claiming = null
        })
        await claiming
      }
      return claimed.pop() ?? null
    },
    giveBack(mail: MailToSend): void {
      claimed.push(mail)
    },
  }
}

/** Waits so that no more than this many mails are sent in a second; 0 for no limit. */
function paceOf(perSecond: number): () => Promise<void> {
  if (perSecond === 0) return async () => {}
  let next = Date.now()
  return async () => {
    const now = Date.now()
    next = Math.max(next, now) + 1000 / perSecond
    if (next > now) await sleep(next - now)
  }
}

const patience = 20

/** A result that is lost leaves a mail in doubt, so a database that restarts is waited for. */
async function patiently(write: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (attempt === patience) throw error
      await sleep(500)
    }
  }
}
