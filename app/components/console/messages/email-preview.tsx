import { useEffect, useRef, useState } from 'react'
import { MessageText } from './message-view.tsx'
import type { EmailPreviewView, PreviewedMessage } from './view.ts'

/** A message before it is sent: as learners see it on their dashboards, and as an email. */
export function PreviewedText({ message }: { message: PreviewedMessage }) {
  const { email, testSentTo } = message
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The dialog has been scrolled to where the form was left, and what has just happened is said at the top.
    if (message) root.current?.closest('.in')?.scrollTo(0, 0)
  }, [message])
  // The button that opened it is gone, and with it the focus.
  useEffect(() => root.current?.closest('.dlg')?.querySelector('h2')?.focus(), [])
  return (
    <div ref={root}>
      {testSentTo && (
        <p className="notice notice--success mb-6" role="status">
          A test is on its way to {testSentTo}.
        </p>
      )}
      <MessageText message={message} />
      <section className="mt-8" aria-labelledby="as-email">
        <h3 id="as-email">As an email</h3>
        <EmailPreview email={email} />
      </section>
    </div>
  )
}

/** How wide the email is shown, in pixels: as on a phone, and as on a larger screen. */
const widths = [360, 600]

function EmailPreview({ email: { subject, html, text } }: { email: EmailPreviewView }) {
  return (
    <>
      <p className="muted small mb-4">
        Subject: {subject}. Each recipient gets their own name and their own link at the end. Links do not open here.
      </p>
      <div className="flex flex-wrap items-start gap-6">
        {widths.map((width) => (
          <div key={width} className="max-w-full">
            <h4 className="mb-2">{width} pixels wide</h4>
            <EmailFrame key={html} width={width} html={html} />
          </div>
        ))}
      </div>
      <h4 className="mt-6 mb-2">Plain text</h4>
      <pre className="whitespace-pre-wrap small">{text}</pre>
    </>
  )
}

/**
 * The email in a frame as high as itself, so that the keyboard needs one stop to scroll it both ways. Without JavaScript
 * nobody measures it, and the frame scrolls too.
 */
function EmailFrame({ width, html }: { width: number; html: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState<number | null>(null)
  const measure = () => {
    const page = frame.current?.contentDocument
    // Before the email, the frame shows an empty page.
    if (page?.URL === 'about:srcdoc') setHeight(page.documentElement.offsetHeight)
  }
  // The email of a page from the server has loaded before scripts run.
  useEffect(measure, [])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach everything that scrolls
    <section className="scroller mailframe" tabIndex={0} aria-label={`Preview, ${width} pixels wide`}>
      {/* The frame runs no script and opens no window. It belongs to this site only so that it can be measured. */}
      <iframe
        ref={frame}
        title={`Email, ${width} pixels wide`}
        sandbox="allow-same-origin"
        srcDoc={withoutNavigation(html)}
        onLoad={measure}
        tabIndex={height === null ? undefined : -1}
        className="block max-w-none"
        style={{ width, height: height ?? 480 }}
      />
    </section>
  )
}

/**
 * Links look as they will in the email. One that is followed would replace the email in its frame. In a new window, which the frame
 * may not open, it does nothing, so the keyboard skips it.
 */
function withoutNavigation(html: string): string {
  return html.replace('<head>', '<head><base target="_blank">').replaceAll('<a ', '<a tabindex="-1" ')
}
