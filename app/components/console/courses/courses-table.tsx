import { useMemo } from 'react'
import { coursesTable } from '~/forms/course-tables.ts'
import type { FilterOption } from '~/lib/table-query.ts'
import { Empty } from '../../ui/empty.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { type ContentRow, contentColumns, peopleFilters } from '../content-columns.tsx'
import { type Column, DataGrid, type Filter, type TablePage } from '../grid/data-grid.tsx'
import { RowActions, RowLink } from '../grid/row-actions.tsx'
import { DialogLink } from '../route-dialog.tsx'

type Props = {
  page: TablePage<ContentRow>
  options: { group: FilterOption[]; author: FilterOption[] }
}

const path = '/dashboard/courses/'
const source = '/dashboard/courses-rows/'

export function CoursesTable({ page, options }: Props) {
  const filters = useMemo(() => filtersOf(options), [options])
  return (
    <>
      <header>
        <h1>Manage Courses</h1>
      </header>
      <DataGrid
        table={coursesTable}
        label="Courses"
        path={path}
        source={source}
        page={page}
        columns={columns}
        filters={filters}
        rowId={({ uid }) => uid}
        rowName={({ name }) => name}
        actions={(row) => <Actions row={row} />}
        actionCount={2}
        toolbar={
          <DialogLink className="btn btn--primary" to={`${path}new/`}>
            <ConsoleIcon name="plus" />
            CREATE COURSE
          </DialogLink>
        }
        empty={
          <Empty icon="path" title="No Courses">
            <p>A course leads learners through modules in sections and chapters.</p>
          </Empty>
        }
      />
    </>
  )
}

function filtersOf(people: Props['options']): Filter<ContentRow>[] {
  return [
    {
      name: 'status',
      label: 'Status',
      options: [
        { value: 'published', label: 'Published' },
        { value: 'draft', label: 'Draft' },
        { value: 'behind', label: 'Draft of a published course' },
      ],
      valuesOf: ({ status, olderLive }) => [status, ...(olderLive === null ? [] : ['behind'])],
    },
    ...peopleFilters(source, people),
  ]
}

const columns: readonly Column<ContentRow>[] = [
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
  { ...contentColumns.status, width: 120 },
  { ...contentColumns.tags, width: 140 },
  { ...contentColumns.plans, width: 130 },
  { ...contentColumns.author, width: 100 },
  { ...contentColumns.version, width: 70 },
  { ...contentColumns.updated, width: 110 },
]

function Actions({ row: { uid, name } }: { row: ContentRow }) {
  return (
    <RowActions name={name}>
      <RowLink icon="edit" word="Edit" label={`Edit ${name}`} to={`${path}${uid}/`} />
      <RowLink icon="trash" word="Remove" label={`Remove ${name}`} to={`${path}${uid}/delete/`} />
    </RowActions>
  )
}
