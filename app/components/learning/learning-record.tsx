import { Link } from '@remix-run/react'
import { type FailedTest, failedTestText } from '~/lib/failed-test.ts'
import { useShell } from '../layout/shell.ts'
import { useHydrated } from '../ui/form.tsx'

type Props = {
  person: { name: string; email: string; institution: string | null }
  issuedOn: string
  /** The most rows of a kind, if there are more. */
  most: number | null
  courses: { name: string; completedOn: string }[]
  modules: { name: string; completedOn: string; score: number | null; failedTest: FailedTest }[]
}

/** A page to print: what the learner has completed, when, and with which score. */
export function LearningRecord({ person, issuedOn, most, courses, modules }: Props) {
  const { brand } = useShell()
  const isHydrated = useHydrated()
  return (
    <div className="wrap pb-16">
      <header className="pagehead">
        <p className="eyebrow">{brand.name}</p>
        <h1>Learning record</h1>
        <p className="lead">{person.name || person.email}</p>
        <p className="muted">
          {[person.name && person.email, person.institution, `as of ${issuedOn}`].filter(Boolean).join(', ')}
        </p>
        {isHydrated && (
          <p className="mt-4 print:hidden">
            <button type="button" className="btn btn--secondary" onClick={() => window.print()}>
              Print
            </button>
          </p>
        )}
      </header>
      {courses.length + modules.length === 0 && (
        <div className="grid justify-items-start gap-3 py-6">
          <p className="muted">Courses and modules are listed here when you have completed them.</p>
          <Link className="btn btn--secondary print:hidden" to="/my-learning/">
            Go to My Learning
          </Link>
        </div>
      )}
      <RecordTable kind="Course" rows={courses} />
      <RecordTable kind="Module" rows={modules} hasScores />
      {most !== null && <p className="muted small">This record shows the latest {most} of each kind.</p>}
    </div>
  )
}

type Row = Props['courses'][number] & Partial<Props['modules'][number]>

function RecordTable({ kind, rows, hasScores = false }: { kind: string; rows: Row[]; hasScores?: boolean }) {
  if (rows.length === 0) return null
  const id = `record-${kind.toLowerCase()}s`
  return (
    <section aria-labelledby={id} className="mb-10">
      <h2 id={id} className="mb-4">
        {kind}s
      </h2>
      <div className="tablebox">
        <table className="datagrid" aria-labelledby={id}>
          <thead>
            <tr>
              <th scope="col">{kind}</th>
              <th scope="col">Completed</th>
              {hasScores && (
                <th scope="col" className="n">
                  Best score
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, completedOn, score = null, failedTest }) => (
              <tr key={name + completedOn}>
                <td className="lead-cell">
                  {name}
                  {failedTest && (
                    <span className="small muted block">{failedTestText({ percent: 100, failedTest, score })}</span>
                  )}
                </td>
                <td data-label="Completed">{completedOn}</td>
                {hasScores && (
                  <td data-label="Best score" className="n">
                    {score === null ? '–' : `${score}%`}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
