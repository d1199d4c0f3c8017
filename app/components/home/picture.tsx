import pictures from './pictures.svg'

type Props = { name: 'courses' | 'modules' | 'videos' | 'lecture'; width: number; height: number }

/** Shows a drawing from pictures.svg, a file of its own, so that pages do not load the drawings as code. */
export function Picture({ name, width, height }: Props) {
  return (
    <svg className="pic" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
      <use href={`${pictures}#${name}`} />
    </svg>
  )
}
