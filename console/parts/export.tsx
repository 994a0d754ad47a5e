import { readError } from '#sdk/errors.ts'
import { baseUrl } from '../app/data/postern.ts'
import { tokenFor } from '../app/data/session.ts'
import { useAction } from '../app/data/use-action.ts'
import { organizationId } from '../app/router.ts'
import { explain } from '../app/words.ts'
import { Button } from './button.tsx'
import { toast } from './toast.tsx'

/**
 * Downloads a list as CSV: every row that matches the filters, not only the rows on the screen.
 * @param path of the list, whose answer is a table where `text/csv` is asked for
 * @param name of the file, without its ending
 */
export function ExportCsv({
  path,
  query,
  name,
}: {
  path: string
  query: Record<string, string | undefined>
  name: string
}) {
  const loading = useAction(async () => {
    const wanted = Object.entries(query).filter((one): one is [string, string] => !!one[1])
    const authorization = `Bearer ${await tokenFor(organizationId() ?? '')}`
    const response = await fetch(`${baseUrl}${path}?${new URLSearchParams(wanted)}`, {
      headers: { accept: 'text/csv', authorization },
    })
    if (!response.ok) throw await readError(response)
    save(await response.blob(), `${name}.csv`)
  })
  const { failure } = loading
  return (
    <span class="row">
      <Button small icon="export" busy={loading.isBusy} onPress={() => void loading.run()}>
        Export CSV
      </Button>
      {failure && (
        <span class="small field-error" role="alert">
          {explain(failure).title}
        </span>
      )}
    </span>
  )
}

/** Hands a file to the browser, as if it had been loaded from a link. */
function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
  toast(`${name} was downloaded`)
}
