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

/** What a dialog's route exports: `export const handle = dialogHandle`. Its section then knows that it lies under a dialog. */
export const dialogHandle = { isDialog: true }

/** Whether a dialog's route is open below the current section. */
function useIsDialogOpen(): boolean {
  return useMatches().some(({ handle }) => (handle as { isDialog?: boolean } | undefined)?.isDialog)
}

/**
 * What a section shows under its dialogs: as long as the server's page stands alone, nothing, since the dialog is the whole page
 * then; afterwards itself, with the dialog over it.
 */
export function UnderDialog({ children }: { children: ReactNode }) {
  const isHydrated = useHydrated()
  const isDialogOpen = useIsDialogOpen()
  return !isHydrated && isDialogOpen ? null : children
}

type Props = {
  title: string
  size?: 'md' | 'lg' | 'xl'
  /** The section's address; the search of the list behind is kept. */
  closeTo: string
  /** Beside the title: a status chip. */
  status?: ReactNode
  /** A click beside a form loses nothing: only Close and Escape lead out. */
  isForm?: boolean
  initialFocus?: RefObject<HTMLElement>
  onClose?: () => void
  /** Buttons; those of a form inside name it by `form={id}`. The last is the main one. */
  footer?: ReactNode
  children: ReactNode
}

/** A route as a dialog over its section. Without JavaScript, and until the browser has taken over, the same as a page. */
export function RouteDialog(props: Props) {
  return useHydrated() ? <OpenDialog {...props} /> : <DialogPage {...props} />
}

function OpenDialog({ closeTo, size = 'lg', isForm = false, initialFocus, onClose, ...frame }: Props) {
  const navigate = useNavigate()
  const to = useCloseAddress(closeTo)
  const title = useRef<HTMLHeadingElement>(null)
  const Panel = isForm ? 'div' : DialogPanel
  const focus = useLastFocus(initialFocus ?? title)
  useFocusKept()
  const close = () => {
    onClose?.()
    // Whatever guards unsaved changes stands in the router's way, not here.
    navigate(to, { preventScrollReset: true })
  }
  return (
    <Dialog open className="dlg-layer" initialFocus={focus.ref} onClose={close}>
      <div className="dlg-place">
        {/* Headless UI closes on a press outside its panel; without one, as in forms, the whole layer is inside. */}
        <Panel className={`dlg dlg--${size}`} onFocus={focus.note}>
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

/** Stands last in the panel, so that its effect comes when all fields are there. */
function KeptTyping({ onFocused }: { onFocused: (control: HTMLElement) => void }) {
  const place = useRef<HTMLSpanElement>(null)
  const dialog = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    dialog.current = place.current?.closest<HTMLElement>('.dlg') ?? null
  }, [])
  useKeptTyping(dialog, onFocused)
  return <span ref={place} hidden />
}

function DialogPage({ closeTo, size = 'lg', isForm: _, initialFocus: __, onClose: ___, ...frame }: Props) {
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
 * Opens a dialog over a list or over another dialog: the list stays where it is scrolled, and the address keeps what is searched and sorted.
 * In the rows of a table it takes `discover="none"`; otherwise the browser asks for the routes of each row as soon as they are shown.
 */
export function DialogLink({ to, ...link }: LinkProps & { to: string }) {
  const { search } = useLocation()
  return <Link {...link} to={to + tableSearch(search)} preventScrollReset />
}

/** For a footer: leads out of the dialog as the cross does. Asks about unsaved changes on its way. */
export function CloseLink({ closeTo, children = 'Close' }: { closeTo: string; children?: ReactNode }) {
  return (
    <Link className="btn btn--quiet dlg-close" to={useCloseAddress(closeTo)} preventScrollReset>
      {children}
    </Link>
  )
}

function useCloseAddress(closeTo: string): string {
  const { search } = useLocation()
  return closeTo.includes('?') ? closeTo : closeTo + tableSearch(search)
}

/**
 * Where Headless UI puts the focus when the dialog opens, and again when a question over it has been answered: then it goes where it
 * was. Escape takes the focus from the field in which it is pressed, so the browser no longer knows.
 */
function useLastFocus(first: RefObject<HTMLElement>) {
  const last = useRef<HTMLElement | null>(null)
  const ref: RefObject<HTMLElement> = {
    get current() {
      return last.current?.isConnected ? last.current : first.current
    },
  }
  const note = ({ currentTarget, target }: FocusEvent<HTMLElement>) => {
    // React's events also rise from the question, which only the tree of components has inside.
    if (target.tabIndex >= 0 && currentTarget.contains(target)) last.current = target
  }
  /** Somebody was in it already, on the page that the dialog replaces. */
  const set = useCallback((control: HTMLElement) => {
    last.current = control
  }, [])
  return { ref, note, set }
}

/** Headless UI gives the focus back to what opened the dialog. Where that is gone (a removed row), the page's start takes it. */
function useFocusKept(): void {
  useEffect(
    () => () => {
      setTimeout(() => {
        const { activeElement } = document
        if (!activeElement || activeElement === document.body) {
          document.getElementById('main')?.focus({ preventScroll: true })
        }
      }, 50)
    },
    [],
  )
}
