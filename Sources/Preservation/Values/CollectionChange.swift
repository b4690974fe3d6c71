/// Change to a collection since the previous element in ``RestorableCollection/changes``.
public enum CollectionChange<Element: Identifiable & Sendable>: Sendable
where Element.ID: Sendable {
    /// All elements in order.
    ///
    /// A reader receives this change first. It also receives this change after a launch or rollback, and whenever it
    /// has fallen too far behind for individual changes.
    case all([Element])
    /// Individual changes to elements.
    ///
    /// To apply the changes, remove all removed and moved elements first. Then apply the other changes in order. Each
    /// index is the element's index in the resulting collection. ``apply(to:)`` follows these steps.
    case elements([ElementChange<Element>])
}

/// Change to an element in a collection.
public enum ElementChange<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    /// The element with the given `id` was removed.
    case removed(id: Element.ID)
    /// The element was inserted at the given index.
    case inserted(Element, at: Int)
    /// The element was moved to the given index. It may also have been updated.
    case moved(Element, to: Int)
    /// The element at the given index was updated.
    case updated(Element, at: Int)
}

extension CollectionChange {
    /// Applies the change to a copy of the collection.
    ///
    /// - Parameter elements: All elements before the change, in the collection's order.
    public func apply(to elements: inout [Element]) {
        switch self {
        case .all(let all): elements = all
        case .elements(let changes):
            let removedIDs = Set(
                changes.compactMap { change -> Element.ID? in
                    switch change {
                    case .removed(let id): id
                    case .moved(let element, _): element.id
                    case .inserted, .updated: nil
                    }
                })
            if !removedIDs.isEmpty { elements.removeAll { removedIDs.contains($0.id) } }
            for change in changes {
                switch change {
                case .removed: break
                case .inserted(let element, let index), .moved(let element, let index):
                    elements.insert(element, at: min(index, elements.count))
                case .updated(let element, let index):
                    if elements.indices.contains(index) { elements[index] = element }
                }
            }
        }
    }
}
