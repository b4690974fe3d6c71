internal import FoundationEssentials

/// An element of a list that is found again when the model changes.
struct RememberedElement: Hashable {
    /// Where it is.
    var indexPath: IndexPath
    /// Its name in the model, if it has one.
    var modelIdentifier: String?
}
