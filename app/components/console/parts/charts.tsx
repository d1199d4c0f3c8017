import { useLoaderData } from '@remix-run/react'
import { Chart, type ChartSeries } from '../chart/chart.tsx'

/** Shows the starts and completions of the last twelve months as bars and as lines. */
export function ChartsExample() {
  const chart = useLoaderData<{ labels: string[]; series: ChartSeries[] }>()
  return (
    <>
      <h1>Charts</h1>
      <p className="muted">Both charts show the same figures, for all modules on this site.</p>
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
