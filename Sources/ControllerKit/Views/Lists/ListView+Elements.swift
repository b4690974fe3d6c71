public import FoundationEssentials

extension ListView {
    /// How many elements there are in all sections.
    public var numberOfElements: Int { currentLayout().count }

    /// Where the element of a number is, counted from 0 through all sections; nil if there is none.
    public func indexPath(ofElement number: Int) -> IndexPath? {
        currentLayout().indexPath(of: number)
    }

    /// The number of an element, counted from 0 through all sections; nil if there is none.
    public func number(ofElementAt indexPath: IndexPath) -> Int? {
        currentLayout().number(of: indexPath)
    }

    /// The first element that is seen; nil in an empty list.
    public var indexPathForFirstVisibleElement: IndexPath? {
        let layout = currentLayout()
        return layout.indexPath(of: firstVisibleLine(layout) * elementsPerLine)
    }

    /// Scrolls until an element is the first that is seen, or as far as it goes. Does nothing if
    /// there is no such element.
    public func scrollToElement(at indexPath: IndexPath) {
        catchUp()
        guard let number = layout.number(of: indexPath) else { return }
        contentOffset.y = Double(number / elementsPerLine)
    }
}

extension ListView {
    /// The data source, if its elements have names.
    var association: (any DataSourceModelAssociation)? {
        dataSource as? any DataSourceModelAssociation
    }

    /// The elements that the data source has now.
    func currentLayout() -> ListLayout {
        guard let dataSource else { return ListLayout() }
        let sections = min(dataSource.numberOfSections(in: self), ListLayout.mostSections)
        return ListLayout(
            counts: (0..<max(0, sections)).lazy.map {
                dataSource.listView(self, numberOfElementsInSection: $0)
            })
    }

    /// How many lines the elements take.
    func lineCount(_ layout: ListLayout) -> Int {
        (layout.count + elementsPerLine - 1) / elementsPerLine
    }

    /// The first line that is seen, of a layout that the list may not have looked at yet.
    func firstVisibleLine(_ layout: ListLayout) -> Int {
        Int(whole: contentOffset.y).clamped(0, max(0, lineCount(layout) - 1))
    }
}
