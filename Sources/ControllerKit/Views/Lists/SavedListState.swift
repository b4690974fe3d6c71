import ExactText
internal import FoundationEssentials
internal import StateRestoration

/// The selected elements and the first visible element of a list, in their saved form.
///
/// Elements are identified by their model identifiers, or by their index paths if there are no model identifiers (V3).
struct SavedListState {
    /// A reference to a saved element: its model identifier or its index path.
    enum Reference: Hashable {
        case modelIdentifier(ExactString)
        case indexPath(IndexPath)
    }

    /// The selected elements, or `nil` if they are unknown.
    var selectedReferences: [Reference]?
    /// The first visible element, or `nil` if it is unknown or the list is empty.
    var firstVisibleReference: Reference?
    /// The scroll offset in lines, or `nil` if it is unknown.
    var scrollOffset: Double?
    /// Whether elements are identified by index paths, which refer to different elements after the model has been
    /// reordered.
    let usesIndexPaths: Bool

    fileprivate enum Key {
        static let selectedModelIdentifiers: StaticString = "selectedModelIdentifiers"
        static let firstModelIdentifier: StaticString = "firstVisibleModelIdentifier"
        static let selectedIndexPaths: StaticString = "selectedIndexPaths"
        static let firstIndexPath: StaticString = "firstVisibleIndexPath"
        /// Key for programs that inspect saved state. Its value is `true` if the state contains index paths.
        static let usesIndexPaths: StaticString = "positional"
    }

    func encode(with coder: StateEncoder) {
        if usesIndexPaths {
            coder.encode(
                selectedReferences?.compactMap(\.indexPath), forKey: Key.selectedIndexPaths)
            coder.encode(firstVisibleReference?.indexPath, forKey: Key.firstIndexPath)
            coder.encode(true, forKey: Key.usesIndexPaths)
        } else {
            coder.encode(
                selectedReferences?.compactMap(\.modelIdentifier),
                forKey: Key.selectedModelIdentifiers)
            coder.encode(firstVisibleReference?.modelIdentifier, forKey: Key.firstModelIdentifier)
        }
    }
}

extension SavedListState {
    /// Decodes the saved elements.
    ///
    /// - Parameter scrollOffset: The scroll offset in lines, or `nil` if it is unknown.
    init(_ coder: StateDecoder, scrollOffset: Double?) throws {
        let modelIdentifiers = try coder.decode([String].self, forKey: Key.selectedModelIdentifiers)
        let indexPaths = try coder.decode([IndexPath].self, forKey: Key.selectedIndexPaths)
        let firstModelIdentifier = try coder.decode(String.self, forKey: Key.firstModelIdentifier)
        let firstIndexPath = try coder.decode(IndexPath.self, forKey: Key.firstIndexPath)
        selectedReferences =
            modelIdentifiers?.map { .modelIdentifier(ExactString($0)) }
            ?? indexPaths?.map(Reference.indexPath)
        firstVisibleReference =
            firstModelIdentifier.map { .modelIdentifier(ExactString($0)) }
            ?? firstIndexPath.map(Reference.indexPath)
        usesIndexPaths = modelIdentifiers == nil && firstModelIdentifier == nil
        self.scrollOffset = scrollOffset
    }
}

extension SavedListState.Reference {
    fileprivate var modelIdentifier: String? {
        if case .modelIdentifier(let identifier) = self { identifier.text } else { nil }
    }

    fileprivate var indexPath: IndexPath? {
        if case .indexPath(let indexPath) = self { indexPath } else { nil }
    }
}
