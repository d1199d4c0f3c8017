import { Link } from '@remix-run/react'
import { FilmPreview } from '../console/films/film-preview.tsx'
import { CoursePage } from '../courses/course-page.tsx'
import { Icon } from '../ui/icon.tsx'
import type { PreviewPageView } from './view.ts'

/** A course, lecture or video as learners of a plan would see it, below a banner that says so. It can only be read. */
export function PreviewPage({ planName, access, editAddress, course, film }: PreviewPageView) {
  return (
    <>
      <section className="wrap py-4" aria-label="Preview">
        <div className="notice notice--warning">
          <Icon name="info" />
          <div className="min-w-0">
            <p>
              <strong>Preview as a learner of {planName}.</strong> It shows what is saved, and nothing that you do here
              counts.
            </p>
            <p>{access}</p>
            {editAddress && (
              <p>
                <Link to={editAddress}>Edit</Link>
              </p>
            )}
          </div>
        </div>
      </section>
      {course && <CoursePage course={course.details} tags={course.tags} access={course.access} />}
      {film && (
        <div className="wrap py-8">
          <FilmPreview film={film} level="h1" />
        </div>
      )}
    </>
  )
}
