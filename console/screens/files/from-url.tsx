import { outdate } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { to, useGo } from '../../app/router.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, TextField, useForm } from '../../parts/form.tsx'

/** Has the server fetch a file. */
export function FromUrl({ onClose }: { onClose: () => void }) {
  const goOn = useGo()
  const form = useForm({ url: '', name: '' }, async ({ url, name }) => {
    const file = await postern.files.fetch({
      url: url.trim(),
      ...(name.trim() === '' ? {} : { name: name.trim() }),
    })
    outdate('files')
    onClose()
    goOn(to(`/files/${file.id}`))
  })
  return (
    <Dialog title="Fetch a file" onClose={onClose}>
      <Form of={form} action="Fetch" onCancel={onClose}>
        <TextField
          of={form}
          name="url"
          label="URL"
          inputMode="url"
          mono
          placeholder="https://example.com/report.pdf"
          hint="It must be public. The server fetches it within 20 seconds."
        />
        <TextField of={form} name="name" label="Name" optional hint="Empty: the name of the file." />
      </Form>
    </Dialog>
  )
}
