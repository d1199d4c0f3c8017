import { Link, useActionData } from '@remix-run/react'
import { PageFrame } from '../layout/page-frame.tsx'
import { useShell } from '../layout/shell.ts'
import { Icon } from '../ui/icon.tsx'

export function FavoriteRefused() {
  const answer = useActionData<{ message?: string }>()
  return (
    <PageFrame shell={useShell()}>
      <div className="wrap py-16">
        <h1 className="mb-6">Saved</h1>
        <p className="notice notice--error" role="alert">
          <Icon name="alert" />
          <span>{answer?.message ?? 'Nothing was chosen.'}</span>
        </p>
        <p className="mt-6">
          <Link className="btn btn--secondary" to="/my-learning/saved/">
            Go to Saved
          </Link>
        </p>
      </div>
    </PageFrame>
  )
}
