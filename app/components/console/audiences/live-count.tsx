import { useFetcher } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { isFieldOfRule } from '~/forms/audience-fields.ts'
import type { ConditionRow } from './view.ts'

type Props = {
  formId: string
  rows: ConditionRow[]
  /** The count of the form as it came from the server; null if a condition is not complete. */
  count: number | null
}

const pause = 300
/** Longer addresses may be refused on the way. The button Save then still works. */
const longestAddress = 6000

/** How many people meet the conditions of the form, counted again whenever a pause follows a change. */
export function LiveCount({ formId, rows, count }: Props) {
  const fetcher = useFetcher<{ count: number | null }>()
  const counted = useRef<string | null>(null)
  const { load } = fetcher
  useEffect(() => {
    const form = document.getElementById(formId)
    if (!(form instanceof HTMLFormElement)) return
    let timer: ReturnType<typeof setTimeout>
    const look = () => {
      const query = ruleIn(form)
      if (query === counted.current || query.length > longestAddress) return
      // The first look finds what the server has counted.
      const isFirst = counted.current === null
      counted.current = query
      if (!isFirst) load(`/dashboard/audiences/count/?${query}`)
    }
    const later = () => {
      clearTimeout(timer)
      timer = setTimeout(look, pause)
    }
    look()
    // A click can choose something in a picker, which is no input.
    const events = ['input', 'change', 'click'] as const
    for (const event of events) form.addEventListener(event, later)
    return () => {
      clearTimeout(timer)
      for (const event of events) form.removeEventListener(event, later)
    }
  }, [formId, load, rows])
  const shown = fetcher.data ? fetcher.data.count : count
  return (
    <p className="muted small" role="status" aria-busy={fetcher.state !== 'idle'}>
      {countInWords(shown, rows.length)}
    </p>
  )
}

/** The fields of the rule, as an address has them. */
function ruleIn(form: HTMLFormElement): string {
  const fields = [...new FormData(form)].filter(
    (field): field is [string, string] => typeof field[1] === 'string' && isFieldOfRule(field[0]),
  )
  return new URLSearchParams(fields).toString()
}

function countInWords(count: number | null, rows: number): string {
  if (rows === 0) return 'Add a condition to see how many people meet it.'
  if (count === null) return 'Complete the conditions to see how many people meet them.'
  if (count === 0) return 'Nobody meets all conditions now.'
  return count === 1
    ? 'One person meets all conditions now.'
    : `${count.toLocaleString('en')} people meet all conditions now.`
}
