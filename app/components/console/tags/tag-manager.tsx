import { useEffect, useState } from 'react'
import { z } from 'zod'
import { searchKey } from '~/lib/text.ts'
import { Empty } from '../../ui/empty.tsx'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ConsoleForm, useRefusal } from '../console-form.tsx'
import { RemovedList } from '../removed-list.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { SubmitButton } from '../submit-button.tsx'
import type { RemovedTagRow, TagRow } from './view.ts'

type Props = { tags: TagRow[]; removed: RemovedTagRow[] }

const formId = 'tags'
/** How many tags the service lists. */
const mostTags = 1000
/** The boxes are checked by the service, since one box posts a text and several a list. */
const schema = z.object({})

/** The tags of the site. Removals are staged: Save sends all of them, and Reset drops them (C-105, C-106). */
export function TagManager({ tags, removed }: Props) {
  return (
    <>
      <h1>Manage Tags</h1>
      <p className="muted">
        Authors add tags to modules, courses, lectures and videos. Here you can remove, rename and merge them.
      </p>
      {tags.length === 0 ? (
        <Empty icon="list" title="There are no tags yet">
          <p>A tag appears here as soon as an author adds it to something.</p>
        </Empty>
      ) : (
        <TagForm tags={tags} />
      )}
      <RemovedList title="Removed in the last thirty days" path="/dashboard/tags/" removed={removed} />
    </>
  )
}

function TagForm({ tags }: { tags: TagRow[] }) {
  const isHydrated = useHydrated()
  const refusal = useRefusal(formId)
  const refused = refusal?.repeated?.tagsToDelete ?? [refusal?.values.tagsToDelete].flatMap((text) => text ?? [])
  const [staged, setStaged] = useState<ReadonlySet<string>>(new Set(refused))
  const [search, setSearch] = useState('')
  // What was removed, here or by somebody else, is staged no longer.
  useEffect(() => {
    const texts = new Set(tags.map(({ text }) => text))
    setStaged((before) => new Set([...before].filter((text) => texts.has(text))))
  }, [tags])
  const isShown = ({ text }: TagRow) => search === '' || searchKey(text).includes(searchKey(search))
  const shown = tags.filter(isShown)
  const toggle = (text: string, isStaged: boolean) =>
    setStaged((before) => new Set(isStaged ? [...before, text] : [...before].filter((one) => one !== text)))
  return (
    <ConsoleForm id={formId} schema={schema} guard={{ noun: 'tags', mode: 'editing' }} className="orderform">
      {isHydrated && (
        <div className="field mb-4">
          <label htmlFor="tag-search">Search tags</label>
          <input
            id="tag-search"
            className="input"
            type="search"
            maxLength={100}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
        </div>
      )}
      <ul className="sortable" aria-label="Tags">
        {tags.map((tag) => (
          <li key={tag.uid} hidden={!isShown(tag)}>
            <Row tag={tag} isStaged={staged.has(tag.text)} onToggle={(isStaged) => toggle(tag.text, isStaged)} />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="muted">No tags found for “{search}”.</p>}
      {tags.length >= mostTags && <p className="muted">The first {mostTags.toLocaleString('en')} tags are listed.</p>}
      <div className="orderform-foot">
        <p className="muted" role="status">
          {staged.size > 0 &&
            `${staged.size === 1 ? '1 tag' : `${staged.size} tags`} will be removed from everything when you save.`}
        </p>
        <button
          className="btn btn--secondary"
          type="reset"
          aria-disabled={(isHydrated && staged.size === 0) || undefined}
          onClick={() => setStaged(new Set())}
        >
          Reset
        </button>
        <SubmitButton
          form={formId}
          intent="save"
          className="btn--primary"
          busyWord="Saving"
          disabled={isHydrated && staged.size === 0}
        >
          Save
        </SubmitButton>
      </div>
    </ConsoleForm>
  )
}

type RowProps = { tag: TagRow; isStaged: boolean; onToggle: (isStaged: boolean) => void }

function Row({ tag, isStaged, onToggle }: RowProps) {
  const { uid, text, uses } = tag
  const isHydrated = useHydrated()
  return (
    <div className="sortable-row">
      <span className="sortable-name">
        <DialogLink className={isStaged ? 'name line-through' : 'name'} to={`/dashboard/tags/${uid}/`} discover="none">
          {text}
        </DialogLink>{' '}
        <span className="muted small">{uses}</span>
      </span>
      {isHydrated ? (
        <>
          {isStaged && <input type="hidden" name="tagsToDelete" value={text} />}
          <button
            className={isStaged ? 'btn btn--quiet' : 'iconbtn'}
            type="button"
            aria-label={isStaged ? `Keep ${text}` : `Remove ${text}`}
            title={isStaged ? undefined : 'Remove'}
            onClick={() => onToggle(!isStaged)}
          >
            {isStaged ? 'Keep' : <Icon name="close" />}
          </button>
        </>
      ) : (
        <label className="tick">
          <input type="checkbox" name="tagsToDelete" value={text} defaultChecked={isStaged} />
          Remove
          <span className="sr-only"> {text}</span>
        </label>
      )}
    </div>
  )
}
