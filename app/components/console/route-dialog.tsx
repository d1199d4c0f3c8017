import { Dialog, DialogPanel, DialogTitle } from '@headlessui/react'
import { Link, type LinkProps, useLocation, useMatches, useNavigate } from '@remix-run/react'
import {
  type FocusEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from 'react'
import { tableSearch } from '~/lib/table-query.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { useKeptTyping, useTypedIsKept } from './keep-typed.ts'

/**
 * Every dialog's route exports it, so that its section knows that a dialog covers it: `export const handle =
 * dialogHandle`.
 */
export const dialogHandle = { isDialog: true }

/** Says whether a dialog's route is open. */
function useIsDialogOpen(): boolean {
  return useMatches().some(({ handle }) => (handle as { isDialog?: boolean } | undefined)?.isDialog)
}

/**
 * The content of a section under its dialogs. Before hydration the dialog is the whole page, so the section shows
 * nothing. After hydration the dialog opens over the section.
 */
export function UnderDialog({ children }: { children: ReactNode }) {
  const isHydrated = useHydrated()
  const isDialogOpen = useIsDialogOpen()
  return !isHydrated && isDialogOpen ? null : children
}

type Props = {
  title: string
  size?: 'md' | 'lg' | 'xl'
  /** The section's address. The query of the list behind the dialog is kept. */
  closeTo: string
  /** A status chip beside the title. */
  status?: ReactNode
  /** Keeps the dialog open on a click outside, so that no input is lost. Only Close and Escape close it. */
  isForm?: boolean
  initialFocus?: RefObject<HTMLElement>
  onClose?: () => void
  /** What Escape closes instead of the dialog, such as a preview inside it. */
  closeInside?: (() => void) | undefined
  /** The buttons. Those of a form inside refer to it with `form={id}`. The last one is the main button. */
  footer?: ReactNode
  children: ReactNode
}

/** Shows a route as a dialog over its section. Before hydration and without JavaScript it is a page. */
export function RouteDialog(props: Props) {
  return useHydrated() ? <OpenDialog {...props} /> : <DialogPage {...props} />
}

function OpenDialog({ closeTo, size = 'lg', isForm = false, initialFocus, onClose, closeInside, ...frame }: Props) {
  const navigate = useNavigate()
  const to = useCloseAddress(closeTo)
  const title = useRef<HTMLHeadingElement>(null)
  const Panel = isForm ? 'div' : DialogPanel
  const focus = useLastFocus(initialFocus ?? title)
  useFocusInside(title)
  useFocusFallback()
  useEscapeInPopover()
  const close = () => {
    onClose?.()
    // A guard of unsaved changes blocks the router, so there is no check here.
    navigate(to, { preventScrollReset: true })
  }
  return (
    <Dialog open className="dlg-layer" initialFocus={focus.ref} onClose={closeInside ?? close}>
      <div className="dlg-place">
        {/* Headless UI closes on a click outside its DialogPanel. Forms have none, so a click outside does nothing. */}
        <Panel className={`dlg dlg--${size}`} onFocus={focus.remember}>
          <Frame
            {...frame}
            heading={
              <DialogTitle as="h2" ref={title} tabIndex={-1}>
                {frame.title}
              </DialogTitle>
            }
            closer={
              <button className="iconbtn" type="button" aria-label="Close" onClick={close}>
                <Icon name="close" />
              </button>
            }
          />
          <KeptTyping onFocused={focus.set} />
        </Panel>
      </div>
    </Dialog>
  )
}

/** Restores typed values. It is the last element of the panel, so that its effect runs when all fields exist. */
function KeptTyping({ onFocused }: { onFocused: (control: HTMLElement) => void }) {
  const marker = useRef<HTMLSpanElement>(null)
  const dialog = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    dialog.current = marker.current?.closest<HTMLElement>('.dlg') ?? null
  }, [])
  useKeptTyping(dialog, onFocused)
  return <span ref={marker} hidden />
}

function DialogPage({
  closeTo,
  size = 'lg',
  isForm: _,
  initialFocus: __,
  onClose: ___,
  closeInside: ____,
  ...frame
}: Props) {
  const id = useId()
  const page = useRef<HTMLElement>(null)
  useTypedIsKept(page)
  return (
    <div className="dlg-page">
      <section ref={page} className={`dlg dlg--${size}`} aria-labelledby={id}>
        <Frame
          {...frame}
          heading={<h1 id={id}>{frame.title}</h1>}
          closer={
            <Link className="iconbtn" to={useCloseAddress(closeTo)} aria-label="Close" preventScrollReset>
              <Icon name="close" />
            </Link>
          }
        />
      </section>
    </div>
  )
}

type FrameProps = Pick<Props, 'title' | 'status' | 'footer' | 'children'> & { heading: ReactNode; closer: ReactNode }

function Frame({ heading, closer, status, footer, children }: FrameProps) {
  return (
    <>
      <div className="dlg-head">
        {heading}
        {status}
        {closer}
      </div>
      <div className="in">{children}</div>
      {footer && <div className="dlg-foot">{footer}</div>}
    </>
  )
}

/**
 * Opens a dialog over a list or over another dialog. The list keeps its scroll position, and the address keeps its
 * search and order. In the rows of a table the link takes `discover="none"`; otherwise the browser asks for the routes
 * of each row as soon as they are shown.
 */
export function DialogLink({ to, ...link }: LinkProps & { to: string }) {
  const listSearch = tableSearch(useLocation().search)
  return <Link {...link} to={to + (to.includes('?') ? listSearch.replace('?', '&') : listSearch)} preventScrollReset />
}

/** A Close link for the footer. Like the cross, it closes the dialog and asks about unsaved changes. */
export function CloseLink({ closeTo, children = 'Close' }: { closeTo: string; children?: ReactNode }) {
  return (
    <Link className="btn btn--quiet dlg-close" to={useCloseAddress(closeTo)} preventScrollReset>
      {children}
    </Link>
  )
}

/** The footer of a dialog that is only read. */
export function CloseFooter({ closeTo }: { closeTo: string }) {
  return (
    <span className="end">
      <CloseLink closeTo={closeTo} />
    </span>
  )
}

function useCloseAddress(closeTo: string): string {
  const { search } = useLocation()
  return closeTo.includes('?') ? closeTo : closeTo + tableSearch(search)
}

/**
 * Tells Headless UI what to focus when the dialog opens, and after a question over it has been answered: then the focus
 * returns to the last control. The browser does not know it any more, because Escape removes the focus from the field.
 */
function useLastFocus(first: RefObject<HTMLElement>) {
  const last = useRef<HTMLElement | null>(null)
  const ref: RefObject<HTMLElement> = {
    get current() {
      return last.current?.isConnected ? last.current : first.current
    },
  }
  const remember = ({ currentTarget, target }: FocusEvent<HTMLElement>) => {
    // React events also bubble up from the question, which is inside the component tree but not inside this element.
    if (target.tabIndex >= 0 && currentTarget.contains(target)) last.current = target
  }
  /** Sets a control that already had the focus on the page that the dialog replaces. */
  const set = useCallback((control: HTMLElement) => {
    last.current = control
  }, [])
  return { ref, remember, set }
}

/**
 * On touch screens Headless UI leaves the focus behind a dialog that opens, so that no keyboard covers it. The title can
 * have the focus there.
 */
function useFocusInside(title: RefObject<HTMLElement>): void {
  useEffect(() => {
    // After Headless UI, also for a dialog that has followed another one.
    const timer = setTimeout(() => {
      const heading = title.current
      if (heading && !heading.closest('.dlg')?.contains(document.activeElement)) heading.focus({ preventScroll: true })
    })
    return () => clearTimeout(timer)
  }, [title])
}

/** The control of the page that has opened the dialog, or the first of several dialogs that follow each other. */
let opener: Element | null = null

/**
 * Headless UI returns the focus to the control that opened the dialog. If that no longer exists, it takes the one that
 * had the focus before, which is about something else. Then `main` takes the focus.
 */
function useFocusFallback(): void {
  // Before Headless UI moves the focus. A dialog that follows another one finds it on the body.
  useLayoutEffect(() => {
    const { activeElement } = document
    if (activeElement && activeElement !== document.body && !activeElement.closest('.dlg')) opener = activeElement
  }, [])
  useEffect(
    () => () => {
      setTimeout(() => {
        const { activeElement } = document
        if (activeElement?.closest('.dlg')) return
        const isLost = !activeElement || activeElement === document.body || opener?.isConnected === false
        opener = null
        if (isLost) document.getElementById('main')?.focus({ preventScroll: true })
      }, 50)
    },
    [],
  )
}

/**
 * Escape closes the panel that is open in the dialog, wherever the focus is, and not the dialog too. The browser closes
 * the panel. Headless UI would take the key from it, and listens to the window, so the key must not get there.
 */
function useEscapeInPopover(): void {
  useEffect(() => {
    const keep = (event: KeyboardEvent) => {
      const isOpen = event.key === 'Escape' && document.querySelector('.dlg [popover="auto"]:popover-open') !== null
      if (isOpen) event.stopPropagation()
    }
    document.addEventListener('keydown', keep)
    return () => document.removeEventListener('keydown', keep)
  }, [])
}
