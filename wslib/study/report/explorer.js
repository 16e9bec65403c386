// Sorting and filtering for the table of runs. The table is whole without it; nothing is loaded from anywhere.
(() => {
  const explorer = document.currentScript.closest('.ws-explorer');
  const body = explorer.querySelector('tbody');
  const rows = [...body.rows];
  const heads = [...explorer.querySelectorAll('thead th')];
  const search = explorer.querySelector('input[type=search]');
  const selects = [...explorer.querySelectorAll('select')];
  const status = explorer.querySelector('[role=status]');
  const download = explorer.querySelector('a[download]');
  const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const shown = () => [...body.rows].filter((row) => !row.hidden);

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const chosen = selects.every((s) => !s.value || value(row, s.dataset.column) === s.value);
      row.hidden = !(chosen && words.every((word) => text.includes(word)));
    }
    status.textContent = `${shown().length} of ${rows.length} rows`;
  }

  function sort(column) {
    const head = heads[column];
    const up = head.getAttribute('aria-sort') !== 'ascending';
    for (const other of heads) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const numeric = head.dataset.kind === 'number';
    const compare = (x, y) => {
      const [a, b] = [value(x, column), value(y, column)];
      // What has no value comes last either way.
      if (a === '' || b === '') return (a === '') - (b === '');
      return (up ? 1 : -1) * (numeric ? a - b : a.localeCompare(b));
    };
    body.append(...rows.sort(compare));
  }

  // The file holds what is seen, in the order in which it is seen.
  function csv() {
    const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = [heads.map((head) => head.textContent.trim())];
    for (const row of shown()) lines.push(heads.map((_, column) => value(row, column)));
    return lines.map((cells) => cells.map(quoted).join(',')).join('\n') + '\n';
  }

  heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => sort(column)));
  search.addEventListener('input', filter);
  for (const select of selects) select.addEventListener('change', filter);
  explorer.querySelector('button[type=reset]').addEventListener('click', () => {
    search.value = '';
    for (const select of selects) select.value = '';
    filter();
  });
  download.addEventListener('click', () => {
    download.href = `data:text/csv;charset=utf-8,${encodeURIComponent(csv())}`;
  });
  explorer.querySelector('.ws-explorer-controls').hidden = false;
  filter();
})();
