import { Link } from '@remix-run/react'
import { scaleBand, scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { useId } from 'react'

export type ChartSeries = { name: string; values: number[] }

export type ChartProps = {
  kind: 'bars' | 'lines'
  title: string
  /** What the chart shows, in one or two sentences. */
  description: string
  /** The labels of the groups of bars, or of the points of the lines: "Nov 2026". */
  labels: string[]
  /** What the labels stand for, where they are only numbers. The table with these names is then open. */
  names?: string[]
  /** Where each name of the table leads; null for nowhere. */
  to?: (string | null)[]
  /** The heading of the labels' column in the table: "Month". */
  labelHead: string
  /** At most three: the styles have three colors. */
  series: ChartSeries[]
}

/**
 * A chart of bars or lines, drawn by the server. The shapes stretch to the available width. All text is HTML around
 * them, so it keeps its size on a phone. The values of a group appear on hover or when Tab reaches it, and a table
 * lists all values.
 */
export function Chart({ kind, title, description, labels, names, to, labelHead, series }: ChartProps) {
  const id = useId()
  const isEmpty = series.every(({ values }) => values.every((value) => value === 0))
  return (
    <figure className="chart" aria-labelledby={`${id}-title`} aria-describedby={`${id}-description`}>
      <figcaption>
        <strong id={`${id}-title`}>{title}</strong>
        <span className="muted" id={`${id}-description`}>
          {description}
        </span>
      </figcaption>
      {isEmpty ? (
        <p className="chart-empty muted">There is no data for this period yet.</p>
      ) : (
        <Drawing {...{ kind, title, labels, names, to, labelHead, series }} />
      )}
    </figure>
  )
}

function Drawing({ kind, title, labels, names, to, labelHead, series }: Omit<ChartProps, 'description'>) {
  const name = (index: number) => names?.[index] ?? labels[index]
  const most = Math.max(1, ...series.flatMap(({ values }) => values))
  const y = scaleLinear([0, most], [100, 0]).nice(4)
  const ticks = y.ticks(4).filter(Number.isInteger)
  const x = scaleBand(labels.keys(), [0, 100])
  return (
    <>
      {series.length > 1 && (
        <ul className="chart-legend" aria-hidden="true">
          {series.map(({ name }, index) => (
            <li key={name} className={`series-${index}`}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <div className="chart-frame">
        <div className="chart-ticks" aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick} style={{ top: `${y(tick)}%` }}>
              {tick.toLocaleString('en')}
            </span>
          ))}
        </div>
        <div className="chart-plot">
          <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
            {ticks.map((tick) => (
              <line key={tick} className="chart-rule" x1="0" x2="100" y1={y(tick)} y2={y(tick)} />
            ))}
            {kind === 'bars' ? <Bars series={series} x={x} y={y} /> : <Lines series={series} x={x} y={y} />}
          </svg>
          <div className="chart-values" role="group" aria-label={`Values of ${title}`}>
            {labels.map((label, index) => (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: the values of a group appear on hover or when Tab reaches it
              <span key={label} role="img" tabIndex={0} aria-label={`${name(index)}: ${valuesInWords(series, index)}`}>
                <span className="chart-tip">
                  <strong>{name(index)}</strong>
                  {series.map(({ name, values }) => (
                    <span key={name}>
                      {name}: {(values[index] ?? 0).toLocaleString('en')}
                    </span>
                  ))}
                </span>
              </span>
            ))}
          </div>
        </div>
        <div className="chart-labels" aria-hidden="true">
          {labels.map((label) => (
            <span key={label}>{label}</span>
          ))}
        </div>
      </div>
      <details open={names !== undefined}>
        <summary>Show as a table</summary>
        <ChartTable {...{ title, labels, names, to, labelHead, series }} />
      </details>
    </>
  )
}

type Scales = {
  series: ChartSeries[]
  x: ReturnType<typeof scaleBand<number>>
  y: ReturnType<typeof scaleLinear<number>>
}

function Bars({ series, x, y }: Scales) {
  const inner = scaleBand(series.keys(), [0, x.bandwidth()]).padding(0.15).paddingOuter(0.6)
  return series.map(({ name, values }, which) => (
    <g key={name} className={`chart-bars series-${which}`}>
      {values.map((value, index) => (
        <rect
          key={index}
          x={(x(index) ?? 0) + (inner(which) ?? 0)}
          y={y(value)}
          width={inner.bandwidth()}
          height={100 - (y(value) ?? 0)}
        />
      ))}
    </g>
  ))
}

function Lines({ series, x, y }: Scales) {
  const path = line<number>(
    (_, index) => (x(index) ?? 0) + x.bandwidth() / 2,
    (value) => y(value) ?? 0,
  )
  return series.map(({ name, values }, which) => (
    <path key={name} className={`chart-line series-${which}`} d={path(values) ?? undefined} />
  ))
}

function valuesInWords(series: ChartSeries[], index: number): string {
  return series.map(({ name, values }) => `${name} ${(values[index] ?? 0).toLocaleString('en')}`).join(', ')
}

function ChartTable({ title, labels, names, to, labelHead, series }: Omit<ChartProps, 'kind' | 'description'>) {
  const nameOf = (label: string, index: number) => (names ? `${label}. ${names[index]}` : label)
  return (
    <table aria-label={title}>
      <thead>
        <tr>
          <th scope="col">{labelHead}</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((label, index) => (
          <tr key={label}>
            <th scope="row">
              {to?.[index] ? <Link to={to[index] ?? ''}>{nameOf(label, index)}</Link> : nameOf(label, index)}
            </th>
            {series.map(({ name, values }) => (
              <td key={name}>{(values[index] ?? 0).toLocaleString('en')}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
