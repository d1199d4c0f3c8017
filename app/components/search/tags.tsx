import { Link } from '@remix-run/react'
import { tagAddress } from '~/lib/tag-address.ts'

/** The tags of an item. Each leads to the list of what carries it. */
export function Tags({ tags }: { tags: string[] }) {
  if (tags.length === 0) return null
  return (
    <ul className="tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <Link to={tagAddress(tag)}>
            <span className="tag">{tag}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
