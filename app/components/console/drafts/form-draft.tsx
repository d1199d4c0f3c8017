import { type RefObject, useEffect, useRef, useState } from 'react'
import { dropDraftHere, findDraftHere, findNewDraftHere, type KeptDraft, keepDraftHere } from '~/browser/kept-drafts.ts'
import {
  type DraftKind,
  discardDraft,
  draftKeyField,
  draftKeyOf,
  offeredAtField,
  offeredFieldsField,
  offeredKeyField,
  restoreDraft,
  takeBackDraft,
  typedAtField,
} from '~/forms/draft-fields.ts'
import { formatMoment } from '~/lib/dates.ts'
import { useShell } from '../../layout/shell.ts'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { contentOf, draftFieldsOf, isSameDraft } from '../form-content.ts'
import { usePosted } from '../submit-button.tsx'
import { type DraftSender, deleteOnServer, makeDraftSender } from './send-draft.ts'
import type { OfferedDraft } from './view.ts'

export type DraftOfForm = {
  kind: DraftKind
  uid: string
  isNew: boolean
  /** The draft that the server has; null if there is none. */
  offered: OfferedDraft | null
  /** The form goes on with its draft, as the steps of one form do after the first. */
  isContinued?: boolean
}

type Props = DraftOfForm & {
  /** What the form came back with, if it shows values that are not saved: those of a draft, or refused ones. */
  returned: { values: Record<string, string>; restoredFrom?: string } | undefined
}

const discards = new WeakMap<HTMLFormElement, () => void>()

/** Deletes the draft of a form whose changes a person gives up. */
export function discardDraftOf(form: HTMLFormElement | null): void {
  if (form) discards.get(form)?.()
}

/**
 * Keeps what is typed into the form around it, in this browser at once and on the server within three seconds, and
 * offers what was typed before. Until the person has decided about an offered draft, the form cannot be changed, so that
 * there are never two drafts of one form.
 */
export function FormDraft(props: Props) {
  const { kind, uid, isNew, returned, isContinued = false } = props
  const marker = useRef<HTMLSpanElement>(null)
  // The loader of a new thing makes another uid each time, and this form has begun with its first one.
  const [formKey] = useState(() => returned?.values[draftKeyField] || draftKeyOf(kind, { uid, isNew }))
  const [isUnsaved] = useState(returned !== undefined || isContinued)
  const offer = useOffer(marker, { ...props, formKey, isUnsaved })
  const [isReturned] = useState(returned !== undefined)
  const restored = useRef<HTMLParagraphElement>(null)
  // The button that had the focus is gone.
  useEffect(() => {
    if (document.activeElement === document.body) restored.current?.focus()
  }, [])
  useKeeping(marker, { formKey, isUnsaved, isReturned, isPaused: offer !== null })
  return (
    <>
      <span ref={marker} hidden />
      <input type="hidden" name={draftKeyField} value={formKey} />
      <input type="hidden" name={typedAtField} />
      {offer && <Offer offer={offer} />}
      {returned?.restoredFrom !== undefined && (
        <p className="notice" ref={restored} tabIndex={-1}>
          Your unsaved changes from {returned.restoredFrom} are back. They are not saved until you press Save.
        </p>
      )}
    </>
  )
}

/** `isHere`: this browser has the draft, so it sends it along; otherwise the server uses its own. */
type Offered = OfferedDraft & { isHere: boolean }

/**
 * Returns the draft to offer: the newer one of those that the server and this browser have, unless the form has the same
 * content. Without JavaScript it is the server's.
 */
function useOffer(
  marker: RefObject<HTMLElement>,
  props: Pick<Props, 'kind' | 'isNew' | 'offered' | 'returned'> & { formKey: string; isUnsaved: boolean },
): Offered | null {
  const { viewer, timeZone, csrf } = useShell()
  const [offer, setOffer] = useState<Offered | null>(() =>
    props.isUnsaved || !props.offered ? null : { ...props.offered, isHere: false },
  )
  // Looked for once, when the form appears: later the draft of this form is that of this page.
  const atFirst = useRef({ ...props, owner: viewer?.email ?? '', timeZone, csrf })
  useEffect(() => {
    const { kind, isNew, offered, formKey, isUnsaved, owner, timeZone, csrf } = atFirst.current
    const form = marker.current?.closest('form')
    if (!form || isUnsaved) return
    const kept = isNew ? findNewDraftHere(owner, kind) : findDraftHere(owner, formKey)
    const now = draftFieldsOf(form)
    const isTyped = (draft: OfferedDraft | KeptDraft | null) => {
      if (!draft) return false
      if (!isSameDraft(draft.fields, now)) return true
      // It has been saved meanwhile, or taken back.
      dropDraftHere(draft.formKey)
      if (draft === offered) deleteOnServer(draft.formKey, csrf)
      return false
    }
    const [isTypedHere, isTypedThere] = [isTyped(kept), isTyped(offered)]
    if (kept && isTypedHere && !(offered && isTypedThere && offered.typedAt > kept.typedAt)) {
      setOffer({ ...kept, typedOn: formatMoment(new Date(kept.typedAt), timeZone), isHere: true })
    } else setOffer(offered && isTypedThere ? { ...offered, isHere: false } : null)
  }, [marker])
  useEffect(() => {
    const form = marker.current?.closest('form')
    if (!form || !offer) return
    // Also the buttons of the form that are outside it, in the footer of the dialog.
    const others = [...form.children, ...[...form.elements].filter((element) => !form.contains(element))].filter(
      (element): element is HTMLElement => element instanceof HTMLElement && !element.matches('[data-offer]'),
    )
    for (const element of others) element.inert = true
    return () => {
      for (const element of others) element.inert = false
    }
  }, [marker, offer])
  // The page stays the same when the draft is discarded.
  const isDiscarding = usePosted()?.get('intent') === discardDraft
  const wasDiscarding = useRef(false)
  const isDiscarded = useRef(false)
  useEffect(() => {
    if (wasDiscarding.current && !isDiscarding && !props.returned) {
      isDiscarded.current = true
      // If it went on in another window, it was not discarded.
      const { offered } = props
      setOffer((discarded) =>
        offered && offered.formKey === discarded?.formKey ? { ...offered, isHere: false } : null,
      )
    }
    wasDiscarding.current = isDiscarding
  }, [isDiscarding, props])
  useEffect(() => {
    if (offer || !isDiscarded.current || document.activeElement !== document.body) return
    const form = marker.current?.closest('form')
    form?.querySelector<HTMLElement>('input:not([type=hidden]), select, textarea')?.focus()
  }, [marker, offer])
  return offer
}

function Offer({ offer }: { offer: Offered }) {
  return (
    <div className="notice notice--warning" role="alert" data-offer>
      <Icon name="alert" />
      <div>
        <p>
          <strong>You have unsaved changes from {offer.typedOn}.</strong>
          Restore them to pick up where you left off, or discard them.
        </p>
        <p className="flex flex-wrap gap-3 mt-3">
          <button className="btn btn--primary" type="submit" name="intent" value={restoreDraft} formNoValidate>
            Restore changes
          </button>
          <button className="btn btn--secondary" type="submit" name="intent" value={discardDraft} formNoValidate>
            Discard changes
          </button>
        </p>
      </div>
      <input type="hidden" name={offeredKeyField} value={offer.formKey} />
      <input type="hidden" name={offeredAtField} value={offer.typedAt} />
      {offer.isHere && <input type="hidden" name={offeredFieldsField} value={JSON.stringify(offer.fields)} />}
    </div>
  )
}

/** The time in milliseconds until the router reports a post that has just been sent. */
const untilKnown = 500

type Keeping = { formKey: string; isUnsaved: boolean; isReturned: boolean; isPaused: boolean }

/** Records each change of the form, and what it came back with. */
function useKeeping(marker: RefObject<HTMLElement>, { formKey, isUnsaved, isReturned, isPaused }: Keeping): void {
  const { viewer, csrf } = useShell()
  const isHydrated = useHydrated()
  const owner = viewer?.email ?? ''
  const token = useRef(csrf)
  token.current = csrf
  const paused = useRef(isPaused)
  paused.current = isPaused
  const wasUnsaved = useRef(isUnsaved)
  const wasReturned = useRef(isReturned)
  const sender = useRef<DraftSender>()
  const isPosting = usePosted() !== null
  const posting = useRef(isPosting)
  posting.current = isPosting
  const resume = useRef<() => void>()

  useEffect(() => {
    const form = marker.current?.closest('form')
    if (!form || !isHydrated) return
    const send = makeDraftSender(() => token.current)
    sender.current = send
    const saved = wasUnsaved.current ? null : contentOf(form)
    let last = wasReturned.current ? null : contentOf(form)
    let hasDraft = wasUnsaved.current
    const record = () => {
      const content = contentOf(form)
      if (paused.current || content === last) return
      last = content
      if (content === saved) return drop(takeBackDraft)
      const draft = { formKey, fields: draftFieldsOf(form), typedAt: Date.now() }
      hasDraft = true
      keepDraftHere(owner, draft)
      send.schedule(draft)
    }
    const drop = (intent: typeof discardDraft | typeof takeBackDraft) => {
      send.cancel()
      dropDraftHere(formKey)
      if (hasDraft) deleteOnServer(formKey, token.current, { intent })
      hasDraft = false
    }
    discards.set(form, () => drop(discardDraft))
    resume.current = () => {
      last = saved
      record()
    }
    // Rich text, lists and chosen files change hidden fields, for which there is no event.
    const observer = new MutationObserver(record)
    observer.observe(form, { subtree: true, childList: true, attributes: true, attributeFilter: ['value', 'checked'] })
    const abort = new AbortController()
    const { signal } = abort
    for (const type of ['input', 'change']) form.addEventListener(type, record, { signal })
    const pause = () => {
      const typedAt = form.elements.namedItem(typedAtField)
      if (typedAt instanceof HTMLInputElement) typedAt.value = String(Date.now())
      // The server deletes the draft of what it saves. A request that is late would bring it back.
      send.cancel()
      // The form may have been refused here already, and is not sent then.
      setTimeout(() => signal.aborted || posting.current || resume.current?.(), untilKnown)
    }
    form.addEventListener('submit', pause, { signal })
    window.addEventListener('pagehide', send.flush, { signal })
    document.addEventListener('visibilitychange', () => document.hidden && send.flush(), { signal })
    record()
    return () => {
      observer.disconnect()
      abort.abort()
      send.flush()
    }
  }, [marker, formKey, isHydrated, owner])

  // A save that was refused leaves the draft as it was, which was not sent while the save was on its way.
  const hadPosted = useRef(false)
  useEffect(() => {
    if (hadPosted.current && !isPosting) resume.current?.()
    hadPosted.current = isPosting
  }, [isPosting])
}
