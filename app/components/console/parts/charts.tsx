import { useLoaderData } from '@remix-run/react'
import { Chart, type ChartSeries } from '../chart/chart.tsx'

/** Starts and completions of the last twelve months, drawn in both ways. */
export function ChartsExample() {
  const chart = useLoaderData<{ labels: string[]; series: ChartSeries[] }>()
  return (
    <>
      <h1>Charts</h1>
      <p className="muted">The same figures of all modules of this site, twice.</p>
      <Chart
        kind="bars"
        title="Starts and completions"
        description="How many times people started and completed modules, by month."
        labelHead="Month"
        {...chart}
      />
      <Chart
        kind="lines"
        title="Starts and completions over time"
        description="The same figures as lines."
        labelHead="Month"
        {...chart}
      />
    </>
  )
}
