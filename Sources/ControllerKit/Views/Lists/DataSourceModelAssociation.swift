public import FoundationEssentials

/// A data source whose elements have names that last: rows are saved by these, and found again after
/// any reorder (V3). Without it they are saved by their places.
public protocol DataSourceModelAssociation: AnyObject {
    /// The name of an element in the model; nil if it has none: it is not saved then.
    func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String?

    /// Where the element of that name is now; nil if the model has none: it is skipped then.
    func indexPathForElement(
        withModelIdentifier identifier: String, in view: View
    ) -> IndexPath?
}
