/** A draft has a ring and a published version a disc, because color alone must not show the state. */
const chips = {
  draft: { label: 'Draft', tone: '' },
  published: { label: 'Published', tone: 'chip--published' },
  sent: { label: 'Sent', tone: 'chip--sent' },
  processing: { label: 'Processing', tone: 'chip--processing' },
  error: { label: 'Error', tone: 'chip--error' },
} as const

type ChipStatus = keyof typeof chips

export function StatusChip({ status, label }: { status: ChipStatus; label?: string }) {
  const chip = chips[status]
  return <span className={`chip ${chip.tone}`}>{label ?? chip.label}</span>
}
