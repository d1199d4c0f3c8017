import { useMemo } from 'react'
import { type FilmKindName, filmPhases } from '~/forms/films.ts'
import { categoryNames, videoCategories } from '~/forms/videos.ts'
import type { FilterOption } from '~/lib/table-query.ts'
import { Empty } from '../../ui/empty.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { groupFilter, itemColumns } from '../content-columns.tsx'
import { type Column, DataGrid, type Filter, type TablePage } from '../grid/data-grid.tsx'
import { RowActions, RowLink } from '../grid/row-actions.tsx'
import { ValuesCell } from '../grid/values-cell.tsx'
import { DialogLink } from '../route-dialog.tsx'
import { StatusChip } from '../status-chip.tsx'
import { filmKinds } from './kinds.ts'
import type { FilmRow } from './view.ts'

type Props = {
  kind: FilmKindName
  page: TablePage<FilmRow>
  options: { group: FilterOption[] }
}

/** The table of lectures or of videos. */
export function FilmsTable({ kind, page, options }: Props) {
  const { plural, title, path, source, table } = filmKinds[kind]
  const filters = useMemo(() => filtersOf(kind, options), [kind, options])
  const columns = useMemo(() => columnsOf(path), [path])
  return (
    <>
      <header>
        <h1>Manage {plural}</h1>
      </header>
      <DataGrid
        table={table}
        label={plural}
        path={path}
        source={source}
        page={page}
        columns={columns}
        filters={filters}
        rowId={({ uid }) => uid}
        rowName={({ name }) => name}
        actions={(row) => <Actions path={path} row={row} />}
        actionCount={2}
        toolbar={
          <DialogLink className="btn btn--primary" to={`${path}new/`}>
            <ConsoleIcon name="plus" />
            CREATE {title.toUpperCase()}
          </DialogLink>
        }
        empty={
          kind === 'lecture' ? (
            <Empty icon="mic" title="No Lectures">
              <p>A lecture is a filmed talk with guiding questions.</p>
            </Empty>
          ) : (
            <Empty icon="play" title="No Videos">
              <p>A video is a short film of the Video Library.</p>
            </Empty>
          )
        }
      />
    </>
  )
}

const same = (value: string) => ({ value, label: value })

function filtersOf(kind: FilmKindName, options: Props['options']): Filter<FilmRow>[] {
  const category: Filter<FilmRow> = {
    name: 'category',
    label: 'Category',
    options: videoCategories.map((value) => ({ value, label: categoryNames[value] })),
    valuesOf: ({ category }) => (category === null ? [] : [category]),
  }
  return [
    {
      name: 'status',
      label: 'Status',
      options: [
        { value: 'published', label: 'Published' },
        { value: 'draft', label: 'Draft' },
        ...(kind === 'lecture' ? [{ value: 'soon', label: 'Coming Soon' }] : []),
      ],
      valuesOf: ({ status, isComingSoon }) => [status, ...(isComingSoon ? ['soon'] : [])],
    },
    ...(kind === 'video' ? [category] : []),
    { name: 'phase', label: 'Phase', options: filmPhases.map(same), valuesOf: ({ phases }) => phases },
    groupFilter(filmKinds[kind].source, options.group),
  ]
}

function columnsOf(path: string): readonly Column<FilmRow>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      value: ({ name }) => name,
      cell: ({ uid, name }) => (
        <DialogLink className="name" to={`${path}${uid}/`} title={name} discover="none">
          {name}
        </DialogLink>
      ),
      searched: ({ name }) => [name],
      isLead: true,
      width: 220,
      grow: 1.9,
    },
    {
      id: 'status',
      header: 'Status',
      value: ({ status }) => status,
      cell: ({ status, isComingSoon }) => (
        <>
          <StatusChip status={status} />
          {isComingSoon && <span className="muted small chipnote">Coming Soon</span>}
        </>
      ),
      width: 120,
    },
    {
      id: 'phases',
      header: 'Phases',
      value: ({ phases }) => phases.join(', '),
      cell: ({ phases, name }) => <ValuesCell values={phases} allLabel={`all phases of ${name}`} />,
      width: 120,
      isMinor: true,
    },
    { ...itemColumns.tags, width: 140 },
    {
      id: 'presenter',
      header: 'Presenter',
      value: ({ presenter }) => presenter,
      cell: ({ presenter }) =>
        presenter === '' ? (
          '–'
        ) : (
          <span className="two" title={presenter}>
            {presenter}
          </span>
        ),
      width: 130,
      grow: 1,
      isMinor: true,
    },
    { ...itemColumns.updated, width: 110 },
  ]
}

function Actions({ path, row: { uid, name } }: { path: string; row: FilmRow }) {
  return (
    <RowActions name={name}>
      <RowLink icon="edit" word="Edit" label={`Edit ${name}`} to={`${path}${uid}/`} />
      <RowLink icon="trash" word="Remove" label={`Remove ${name}`} to={`${path}${uid}/delete/`} />
    </RowActions>
  )
}
