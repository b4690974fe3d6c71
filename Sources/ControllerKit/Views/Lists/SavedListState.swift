import ExactText
internal import FoundationEssentials
internal import StateRestoration

/// The selected elements and the first visible element of a list, in their saved form.
///
/// Elements are identified by their model identifiers, or by their index paths if there are no model identifiers (V3).
struct SavedListState {
    /// A reference to a saved element: its model identifier or its index path.
    enum Reference: Hashable {
        case model(ExactString)
        case indexPath(IndexPath)
    }

    /// The selected elements, or `nil` if they are unknown.
    var selected: [Reference]?
    /// The first visible element, or `nil` if it is unknown or the list is empty.
    var first: Reference?
    /// The scroll offset in lines, or `nil` if it is unknown.
    var offset: Double?
    /// Whether elements are identified by index paths, which refer to different elements after the model has been
    /// reordered.
    let isPositional: Bool

    fileprivate enum Key {
        static let selectedModels: StaticString = "selectedModelIdentifiers"
        static let firstModel: StaticString = "firstVisibleModelIdentifier"
        static let selectedIndexPaths: StaticString = "selectedIndexPaths"
        static let firstIndexPath: StaticString = "firstVisibleIndexPath"
        /// Key whose value is `true` if the state contains index paths, for programs that inspect the saved state.
        static let positional: StaticString = "positional"
    }

    func encode(with coder: StateEncoder) {
        if isPositional {
            coder.encode(selected?.compactMap(\.indexPath), forKey: Key.selectedIndexPaths)
            coder.encode(first?.indexPath, forKey: Key.firstIndexPath)
            coder.encode(true, forKey: Key.positional)
        } else {
            coder.encode(selected?.compactMap(\.model), forKey: Key.selectedModels)
            coder.encode(first?.model, forKey: Key.firstModel)
        }
    }
}

extension SavedListState {
    /// Decodes the saved elements.
    ///
    /// - Parameter offset: The scroll offset in lines.
    init(_ coder: StateDecoder, offset: Double?) throws {
        let models = try coder.decode([String].self, forKey: Key.selectedModels)
        let indexPaths = try coder.decode([IndexPath].self, forKey: Key.selectedIndexPaths)
        let firstModel = try coder.decode(String.self, forKey: Key.firstModel)
        let firstIndexPath = try coder.decode(IndexPath.self, forKey: Key.firstIndexPath)
        selected = models?.map { .model(ExactString($0)) } ?? indexPaths?.map(Reference.indexPath)
        first =
            firstModel.map { .model(ExactString($0)) } ?? firstIndexPath.map(Reference.indexPath)
        isPositional = models == nil && firstModel == nil
        self.offset = offset
    }
}

extension SavedListState.Reference {
    fileprivate var model: String? {
        if case .model(let identifier) = self { identifier.text } else { nil }
    }

    fileprivate var indexPath: IndexPath? {
        if case .indexPath(let indexPath) = self { indexPath } else { nil }
    }
}
