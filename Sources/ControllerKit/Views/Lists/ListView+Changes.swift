import ExactText
public import FoundationEssentials

extension ListView {
    /// The model changed: the list looks at it again. Elements that have names in the model stay
    /// selected wherever they are now, others at their places.
    public func reloadData() {
        guard answer == nil else {
            answer?.wasReloaded = true
            return
        }
        if let restored {
            apply(restored)
            if awaitsElements, layout.count > 0 { self.restored = nil }
            return
        }
        let association = association
        let layout = currentLayout()
        func found(_ element: RememberedElement) -> RememberedElement? {
            guard layout.contains(element.indexPath) else { return lookedFor(element) }
            let there = remember(element.indexPath)
            guard association != nil, let identifier = element.modelIdentifier,
                there.modelIdentifier != identifier
            else { return there }
            return lookedFor(element)
        }
        func lookedFor(_ element: RememberedElement) -> RememberedElement? {
            guard let association, let identifier = element.modelIdentifier else { return nil }
            let place = association.indexPathForElement(
                withModelIdentifier: identifier.text, in: self)
            return place.map { RememberedElement(indexPath: $0, modelIdentifier: identifier) }
        }
        arrange(layout, elements: found) { found($0)?.indexPath }
    }

    /// Elements were added to the model.
    ///
    /// - Parameter indexPaths: where they are now.
    public func insertElements(at indexPaths: [IndexPath]) {
        apply(.insertion(indexPaths))
    }

    /// Elements were taken out of the model. Those of them that were selected are no longer.
    ///
    /// - Parameter indexPaths: where they were.
    public func deleteElements(at indexPaths: [IndexPath]) {
        apply(.deletion(indexPaths))
    }

    /// An element was moved in the model.
    ///
    /// - Parameters:
    ///   - indexPath: where it was.
    ///   - destination: where it is now.
    public func moveElement(at indexPath: IndexPath, to destination: IndexPath) {
        apply(.move(from: indexPath, to: destination))
    }

    /// Takes a change over. One that does not fit what the data source says is taken as a reload.
    func apply(_ change: ListChange) {
        let now = currentLayout()
        guard restored == nil, change.applied(to: layout) == now else { return reloadData() }
        answer?.wasTold = true
        arrange(now, elements: { $0.moved(to: change.place(of: $0.indexPath)) }) {
            change.place(ofWhatIsAt: $0.indexPath)
        }
    }

    /// The data source may have changed without a word.
    func catchUp() {
        if currentLayout() != layout { reloadData() }
    }

    /// Shows elements that were there before at other places.
    ///
    /// A list that stands at its top stays there; else what was the first to be seen stays the
    /// first.
    ///
    /// - Parameters:
    ///   - elements: gives a selected element as it is now; nil if it has gone.
    ///   - placeOfTop: where what was seen first is now.
    private func arrange(
        _ layout: ListLayout, elements: (RememberedElement) -> RememberedElement?,
        placeOfTop: (RememberedElement) -> IndexPath?
    ) {
        let offset = contentOffset.y
        let top = offset > 0 ? top.flatMap(placeOfTop).flatMap(layout.number) : nil
        self.layout = layout
        isPlacing = true
        updateContentSize()
        if let top {
            contentOffset.y = Double(top / elementsPerLine) + offset - offset.rounded(.down)
        }
        isPlacing = false
        rememberTop()
        // Last, because the delegate is told: it finds the list arranged.
        var places: Set<IndexPath> = []
        replaceSelection(
            selection.compactMap(elements).filter {
                layout.contains($0.indexPath) && places.insert($0.indexPath).inserted
            })
    }

    /// The elements stand on other lines than before.
    func elementsPerLineDidChange(from elementsBefore: Int) {
        let first = Int(whole: contentOffset.y).clamped(0, ListLayout.mostElements) * elementsBefore
        isPlacing = true
        updateContentSize()
        if contentOffset.y > 0 { contentOffset.y = Double(first / elementsPerLine) }
        isPlacing = false
        rememberTop()
    }

    /// The content is as large as the elements take lines.
    func updateContentSize() {
        contentSize = Size(width: visibleSize.width, height: Double(lineCount(layout)))
    }

    /// Keeps in mind what is seen first.
    func rememberTop() {
        let before = top
        top = indexPathForFirstVisibleElement.map(remember)
        if top != before { restorableStateDidChange() }
    }
}

/// A data source's answer to a list that asks it to change the model.
struct DataSourceAnswer {
    /// It told what came, went or moved.
    var wasTold = false
    /// It said that everything may have changed.
    var wasReloaded = false
}
