type Unit = { uid: string; title: string; percent: number; isPassOpen: boolean }

/** Says why a module is not completed: how many units are, and which are not passed yet. */
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
