import { Form, Link, useNavigate, useNavigation } from '@remix-run/react'
import { type FormEvent, type RefObject, useEffect, useRef } from 'react'
import { useShell } from '../../layout/shell.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FieldError } from '../../ui/fields.tsx'
import { CsrfField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pages } from '../../ui/pages.tsx'
import { Chart } from '../chart/chart.tsx'
import { FilterSelect } from '../filter-select.tsx'
import { SortDirections, SortSelect } from '../grid/sort-form.tsx'
import { RecordTable } from '../modules/record-table.tsx'
import { ReportsFrame } from './reports-page.tsx'
import { linesId, type OpenedView, type ReportView } from './view.ts'

/**
 * Says where the focus goes when the address asks for something else: after Show to the button of the form, which was
 * made anew, and after a link in a line to the heading. That link is gone, or is that of another line. Another page of
 * the same lines moves the focus to them, because the pager is far below.
 */
function useFocusAfterAnswer({ pages, page }: Pick<ReportView, 'pages' | 'page'>) {
  const [heading, show] = [useRef<HTMLHeadingElement>(null), useRef<HTMLButtonElement>(null)]
  const isByForm = useRef(false)
  const before = useRef({ pages, page })
  useEffect(() => {
    const last = before.current
    if (last.pages === pages && last.page === page) return
    before.current = { pages, page }
    if (last.pages === pages && !isByForm.current) {
      const lines = document.querySelector<HTMLElement>(`#${linesId} .scroller`) ?? heading.current
      return lines?.focus({ preventScroll: true })
    }
    const focused = document.activeElement
    const isLost = focused === document.body || focused?.closest('.reportlines tbody') != null
    if (isLost && isByForm.current) show.current?.focus({ preventScroll: true })
    // On phones the button is folded away.
    if (isLost && (!isByForm.current || document.activeElement === document.body)) {
      heading.current?.focus({ preventScroll: true })
    }
    isByForm.current = false
  }, [pages, page])
  const onShow = () => {
    isByForm.current = true
  }
  return { heading, show, onShow }
}

/** A report on the screen: what it means, its totals and its lines. Works without JavaScript. */
export function ReportPage(view: ReportView) {
  const {
    tab,
    back,
    title,
    meaning,
    days,
    timeZone,
    compared,
    figures,
    moreFigures,
    chart,
    total,
    page,
    size,
    pages,
    cut,
    asOf,
  } = view
  const { heading, show, onShow } = useFocusAfterAnswer(view)
  return (
    <ReportsFrame tab={tab ?? 'messages'}>
      <BackLink to={back.to}>{back.label}</BackLink>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p className="mt-2">{meaning}</p>
      <p className="muted mb-4">
        {days}. Days and times are in the time zone {timeZone}.
      </p>
      {asOf && (
        <p className="notice mb-4">
          <span>
            {asOf.words} <Link to={asOf.today}>Show it as of today</Link>
          </span>
        </p>
      )}
      {view.view && <Opened {...view.view} />}
      {view.isViewGone && (
        <p className="notice mb-4">The saved view of this address was deleted, or is not shared with you.</p>
      )}
      <Question view={view} show={show} onShow={onShow} />
      <PrintedQuestion {...view} />
      {compared && <p className="muted mb-3">{compared}</p>}
      {total === 0 ? (
        <Empty icon="search" title="Nothing in this period">
          <p>Choose another period, or fewer filters.</p>
        </Empty>
      ) : (
        <>
          <Figures figures={figures} />
          {moreFigures.map(({ title, figures }) => (
            <section key={title} aria-label={title}>
              <h3 className="mb-2">{title}</h3>
              <Figures figures={figures} />
            </section>
          ))}
          {chart && <Chart kind="bars" {...chart} />}
          <Lines {...view} />
          {cut && <p className="muted">{cut}</p>}
          <Pages {...{ page, size, total }} to={(number) => `${pages}&page=${number}#${linesId}`} />
        </>
      )}
    </ReportsFrame>
  )
}

/** Says which saved view this is, and saves what was changed since. */
function Opened({ name, sharing, saved, isBroken, saveTo }: OpenedView) {
  const { csrf } = useShell()
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 mb-4 print:hidden">
      <p className="[&_svg]:inline">
        <Icon name="save" /> Saved view <strong className="[overflow-wrap:anywhere]">{name}</strong>
        {sharing && <span className="muted">. {sharing}</span>}
        {saved !== null && <span>. You have changed what it shows.</span>}
        {isBroken && <span>. Some of what it was saved with no longer exists.</span>}
      </p>
      {saveTo !== null && (
        <Form method="post" action={saveTo} preventScrollReset>
          <CsrfField token={csrf} />
          <button className="btn btn--secondary" type="submit">
            Save changes
          </button>
        </Form>
      )}
      {saved !== null && (
        <Link className="btn btn--quiet" to={saved}>
          Show as saved
        </Link>
      )}
    </div>
  )
}

/** Each figure leads to the rows that it sums up. */
function Figures({ figures }: Pick<ReportView, 'figures'>) {
  return (
    <dl className="figures mb-6">
      {figures.map(({ label, value, note, to, change }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="voice num">
            <Link to={to}>{value}</Link>
          </dd>
          {note && <dd className="muted small">{note}</dd>}
          {change && <dd className="muted small">{change}</dd>}
        </div>
      ))}
    </dl>
  )
}

/** What was asked for in a dialog cannot be answered. */
export function RefusedQuestion({ sentence }: { sentence: string }) {
  return (
    <ReportsFrame tab="messages">
      <FieldError id="report" error={sentence} />
      <p>
        <Link to="/dashboard/messages/export/">Choose again</Link>
      </p>
    </ReportsFrame>
  )
}

/** The questions in the list are those of the module before. */
function dropQuestion({ target, currentTarget }: FormEvent<HTMLFormElement>) {
  const question = currentTarget.elements.namedItem('question')
  if ((target as HTMLSelectElement).name === 'module' && question instanceof HTMLSelectElement) question.value = ''
}

type QuestionProps = { view: ReportView; show: RefObject<HTMLButtonElement>; onShow: () => void }

function Question({ view, show, onShow }: QuestionProps) {
  const { path, selects, isCompared, hidden, file, prepareTo, isSorted, saveTo, scheduleTo, total } = view
  return (
    <Form
      key={`${path}${selects.map(({ chosen }) => chosen)}${isCompared}`}
      method="get"
      action={path}
      onChange={dropQuestion}
      onSubmit={onShow}
      aria-label="What the report is about"
      className="flex flex-wrap items-end gap-3 mb-6 print:hidden"
    >
      {hidden.map(({ name, value }) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {selects.length > 0 && (
        // Folded on phones: what was chosen is in the heading.
        <details className="foldedfilters" open={total === 0}>
          <summary className="btn btn--secondary">
            <Icon name="chevron" className="i--turn" />
            Period and filters
          </summary>
          <div className="flex flex-wrap items-end gap-3">
            {selects.map((select) => (
              <FilterSelect key={select.name} {...select} />
            ))}
            {isCompared !== null && (
              <label className="tick">
                <input type="checkbox" name="compare" value="previous" defaultChecked={isCompared} />
                <span>Compare with the period before</span>
              </label>
            )}
            <button ref={show} className="btn btn--primary" type="submit">
              Show
            </button>
          </div>
        </details>
      )}
      <span className="flex flex-wrap items-center gap-3 lg:ml-auto">
        {saveTo && (
          <Link className="btn btn--quiet" to={saveTo} preventScrollReset>
            <Icon name="save" />
            Save view
          </Link>
        )}
        {scheduleTo && (
          <Link className="btn btn--quiet" to={scheduleTo} preventScrollReset>
            <Icon name="clock" />
            Schedule
          </Link>
        )}
        {prepareTo === null ? (
          <a className="btn btn--secondary" href={file}>
            <Icon name="download" />
            Download CSV
          </a>
        ) : (
          <Link className="btn btn--secondary" to={prepareTo} preventScrollReset>
            <Icon name="file" />
            Prepare file…
          </Link>
        )}
        {isSorted && <span className="muted small">The file is not sorted like this page.</span>}
      </span>
    </Form>
  )
}

/** On paper, a sentence stands for the fields and for the pager. The period is said above. */
function PrintedQuestion({ selects, lines, page, size, total }: ReportView) {
  const chosen = selects.flatMap(({ name, label, options, chosen }) => {
    const option = options[chosen]
    return name === 'period' || option === undefined ? [] : `${label}: ${option}`
  })
  const before = (page - 1) * size
  const [first, last, all] = [before + 1, before + lines.length, total].map((count) => count.toLocaleString('en'))
  const rows = lines.length > 0 && lines.length < total ? [`Rows ${first}–${last} of ${all}`] : []
  const sentences = [...chosen, ...rows]
  return sentences.length > 0 && <p className="hidden print:block mb-4">{sentences.join('. ')}.</p>
}

/** Sorts the lines on phones, as `SortForm` does in other tables. */
function SortLines({ path, sortBy }: Pick<ReportView, 'path' | 'sortBy'>) {
  const { hidden, orders, chosen, direction } = sortBy
  const navigate = useNavigate()
  // Until the answer is there, the box keeps what was chosen.
  const { location: next } = useNavigation()
  const sort =
    next?.pathname === path ? (new URLSearchParams(next.search).get('sort') ?? '').replace(/~.*/, '') : chosen
  return (
    <div className="sortby mb-3">
      <Form method="get" action={`${path}#${linesId}`}>
        {hidden.map(({ name, value }) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <SortSelect
          name="sort"
          chosen={sort}
          orders={orders}
          onChoose={(value) => {
            const order = orders.find((one) => one.value === value)
            if (order) navigate(order.to)
          }}
        />
      </Form>
      {direction && (
        <SortDirections
          isDescending={direction.isDescending}
          to={(goesDown) => (goesDown ? direction.descending : direction.ascending)}
        />
      )}
    </div>
  )
}

function Lines({ title, heads, numbers, path, sorts, sortBy, lines, pages }: ReportView) {
  if (lines.length === 0) {
    return (
      <p>
        This page is empty. <Link to={pages}>Go to the first page</Link>
      </p>
    )
  }
  return (
    <div className="reportlines" id={linesId}>
      <SortLines {...{ path, sortBy }} />
      <RecordTable
        label={title}
        {...{ heads, numbers, sorts }}
        rows={lines.map((cells, index) => ({
          id: String(index),
          cells: cells.map(({ text, to }) => (to ? <Link to={to}>{text}</Link> : text)),
        }))}
      />
    </div>
  )
}
