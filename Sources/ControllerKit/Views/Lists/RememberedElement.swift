internal import FoundationEssentials

/// An element of a list that is found again when the model changes.
struct RememberedElement: Hashable {
    /// Where it is.
    var indexPath: IndexPath
    /// Its name in the model, if it has one.
    var modelIdentifier: String?
}

extension RememberedElement {
    /// The element at another place; nil if that is nil.
    func moved(to indexPath: IndexPath?) -> RememberedElement? {
        indexPath.map { RememberedElement(indexPath: $0, modelIdentifier: modelIdentifier) }
    }
}
