import ExactText
internal import FoundationEssentials

/// A reference that identifies a list element, even after the model has changed.
struct ElementReference: Hashable {
    /// The index path of the element.
    var indexPath: IndexPath
    /// The identifier of the element in the model, or `nil` if it has none.
    var modelIdentifier: ExactString?

    /// Returns a reference to the same element at a different index path, or `nil` if the index path is `nil`.
    func moved(to indexPath: IndexPath?) -> ElementReference? {
        indexPath.map { ElementReference(indexPath: $0, modelIdentifier: modelIdentifier) }
    }
}
