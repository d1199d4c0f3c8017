import { Icon } from '../../ui/icon.tsx'

type Props = { problems: string[] }

/** What is worth a look, in the question before publishing. It warns, and keeps nobody from publishing. */
export function Problems({ problems }: Props) {
  if (problems.length === 0) return null
  return (
    <div className="notice notice--warning mt-4">
      <Icon name="alert" />
      <ProblemList problems={problems} />
    </div>
  )
}

/** The same in one line of an edit dialog, which opens. It is about what is saved. */
export function ProblemsLine({ problems }: Props) {
  if (problems.length === 0) return null
  return (
    <details className="problems notice notice--warning">
      <summary>
        <Icon name="alert" />
        {problems.length === 1 ? '1 thing to check' : `${problems.length} things to check`} in what is saved
        <Icon name="chevron" className="i--turn" />
      </summary>
      <ProblemList problems={problems} />
    </details>
  )
}

function ProblemList({ problems }: Props) {
  return (
    <ul className="formstack min-w-0 break-words">
      {problems.map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </ul>
  )
}
