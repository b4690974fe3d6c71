import ExactText
internal import FoundationEssentials
internal import StateRestoration

/// The selected elements and the first visible element of a list in the form in which they are saved.
///
/// Elements are identified by their model identifiers, or by their index paths if there are no model identifiers (V3).
struct SavedElements {
    /// The identity of a saved element, which is its model identifier or its index path.
    enum Reference: Hashable {
        case model(ExactString)
        case place(IndexPath)
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
        static let selectedPlaces: StaticString = "selectedIndexPaths"
        static let firstPlace: StaticString = "firstVisibleIndexPath"
        /// Key whose value is `true` if the state contains index paths, so that readers of the state can recognize
        /// them.
        static let positional: StaticString = "positional"
    }

    func encode(with coder: StateEncoder) {
        if isPositional {
            coder.encode(selected?.compactMap(\.place), forKey: Key.selectedPlaces)
            coder.encode(first?.place, forKey: Key.firstPlace)
            coder.encode(true, forKey: Key.positional)
        } else {
            coder.encode(selected?.compactMap(\.model), forKey: Key.selectedModels)
            coder.encode(first?.model, forKey: Key.firstModel)
        }
    }
}

extension SavedElements {
    /// Decodes the saved elements.
    ///
    /// - Parameter offset: The scroll offset in lines.
    init(_ coder: StateDecoder, offset: Double?) throws {
        let models = try coder.decode([String].self, forKey: Key.selectedModels)
        let places = try coder.decode([IndexPath].self, forKey: Key.selectedPlaces)
        let firstModel = try coder.decode(String.self, forKey: Key.firstModel)
        let firstPlace = try coder.decode(IndexPath.self, forKey: Key.firstPlace)
        selected = models?.map { .model(ExactString($0)) } ?? places?.map(Reference.place)
        first = firstModel.map { .model(ExactString($0)) } ?? firstPlace.map(Reference.place)
        isPositional = models == nil && firstModel == nil
        self.offset = offset
    }
}

extension SavedElements.Reference {
    fileprivate var model: String? {
        if case .model(let identifier) = self { identifier.text } else { nil }
    }

    fileprivate var place: IndexPath? {
        if case .place(let indexPath) = self { indexPath } else { nil }
    }
}
