internal import FoundationEssentials

extension ListView {
    /// Returns an element for the list, with up to `maximumRows` rows, beginning with the first visible row.
    ///
    /// If fewer rows follow the first visible row, the element contains the last rows of the list.
    func accessibilityList(maximumRows: Int) -> AccessibilityElement {
        let layout = currentLayout()
        let firstVisibleIndex = firstVisibleLine(layout) * elementsPerLine
        let firstIndex = min(firstVisibleIndex, max(0, layout.count - maximumRows))
        var list = AccessibilityElement(accessibilityRoles.list, target: self)
        list.list = AccessibilityList(
            count: layout.count, firstIndex: firstIndex, isEditing: isEditing)
        if canUndoDeletion { list.actions.append(.undoDelete) }
        // A scroll operation specifies a line, which is a row only if each line shows a single element.
        if layout.count > maximumRows, elementsPerLine == 1 { list.actions.append(.scroll) }
        guard let dataSource else { return list }
        let selectedIndexPaths = Set(selection.map(\.indexPath))
        let indexes = firstIndex..<min(firstIndex + maximumRows, layout.count)
        list.children = indexes.compactMap { index in
            guard let indexPath = layout.indexPath(of: index) else { return nil }
            var row = accessibilityRow(at: indexPath, index: index, of: dataSource)
            row.isSelected = selectedIndexPaths.contains(indexPath)
            return row
        }
        let canEdit = indexes.contains { index in
            layout.indexPath(of: index).map { canEditRow(at: $0, of: dataSource) } ?? false
        }
        if isEditing || canEdit { list.actions.append(.edit) }
        return list
    }

    private func canEditRow(at indexPath: IndexPath, of dataSource: any ListViewDataSource) -> Bool
    {
        dataSource.listView(self, canEditElementAt: indexPath)
            || dataSource.listView(self, canMoveElementAt: indexPath)
    }

    private func accessibilityRow(
        at indexPath: IndexPath, index: Int, of dataSource: any ListViewDataSource
    ) -> AccessibilityElement {
        let element = dataSource.listView(self, elementAt: indexPath)
        var row = AccessibilityElement(
            accessibilityRoles.element, label: element.text, target: self, index: index)
        if !element.detail.isEmpty { row.value = element.detail }
        row.actions = [.tap]
        if isEditing {
            if dataSource.listView(self, canMoveElementAt: indexPath) { row.actions.append(.move) }
            if dataSource.listView(self, canEditElementAt: indexPath) {
                row.actions.append(.delete)
            }
        }
        return row
    }
}
