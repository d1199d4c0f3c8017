/** Sends a draft to the server within three seconds after each change, one request at a time. */
import {
  type DraftFields,
  discardDraft,
  draftKeyField,
  type takeBackDraft,
  typedAtField,
} from '~/forms/draft-fields.ts'

type Sent = { formKey: string; fields: DraftFields; typedAt: number }

const address = '/dashboard/drafts/'
const waitMs = 1000

export type DraftSender = {
  /** Sends this draft soon, in place of an earlier one that has not been sent. */
  schedule: (draft: Sent) => void
  /** Sends what is waiting now. The request outlives the page. */
  flush: () => void
  /** Cancels what is waiting or on its way. */
  cancel: () => void
}

export function makeDraftSender(token: () => string | null): DraftSender {
  let waiting: Sent | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let sending: AbortController | null = null

  const send = async (isLeaving: boolean) => {
    clearTimeout(timer)
    timer = undefined
    if (!waiting || (sending && !isLeaving)) return
    const draft = waiting
    waiting = null
    const abort = new AbortController()
    sending = abort
    const body = formOf({ csrf: token() ?? '', [draftKeyField]: draft.formKey, [typedAtField]: String(draft.typedAt) })
    body.set('fields', JSON.stringify(draft.fields))
    // Without an answer the draft is sent again with the next change. Until then it is in this browser.
    await fetch(address, { method: 'POST', body, keepalive: isLeaving, signal: abort.signal }).catch(() => {})
    if (sending === abort) sending = null
    if (waiting && !abort.signal.aborted) plan(0)
  }
  const plan = (ms: number) => {
    timer ??= setTimeout(() => send(false), ms)
  }
  return {
    schedule: (draft) => {
      waiting = draft
      plan(waitMs)
    },
    flush: () => void send(true),
    cancel: () => {
      clearTimeout(timer)
      timer = undefined
      waiting = null
      sending?.abort()
      sending = null
    },
  }
}

type Deletion = { intent?: typeof discardDraft | typeof takeBackDraft }

/** Deletes a draft on the server. The request outlives the page. */
export function deleteOnServer(formKey: string, token: string | null, { intent = discardDraft }: Deletion = {}): void {
  const typedAt = String(Date.now())
  const body = formOf({ csrf: token ?? '', [draftKeyField]: formKey, [typedAtField]: typedAt, intent })
  fetch(address, { method: 'POST', body, keepalive: true }).catch(() => {})
}

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}
