type Unit = { uid: string; title: string; percent: number; isPassOpen: boolean }

/** Why a module is not complete: units that are open, and those that were judged and not passed. */
export function WhatIsMissing({ units }: { units: Unit[] }) {
  const done = units.filter(({ percent }) => percent === 100).length
  const unpassed = units.filter(({ isPassOpen }) => isPassOpen)
  return (
    <>
      {units.length > 1 && (
        <p className="small num mt-1">
          {done} of {units.length} units done
        </p>
      )}
      {unpassed.length > 0 && (
        <p className="small mt-1">
          {units.length === 1 ? 'Not passed yet' : `Not passed yet: ${unpassed.map(({ title }) => title).join(', ')}`}
        </p>
      )}
    </>
  )
}
