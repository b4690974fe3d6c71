import ExactText
internal import FoundationEssentials
internal import StateRestoration

/// Which elements of a list are selected and which is the first that is seen, in the form in which
/// it is saved: by their names in the model, or by their places if they have none (V3).
struct SavedElements {
    /// What tells an element from the others.
    enum Reference: Hashable {
        case model(ExactString)
        case place(IndexPath)
    }

    /// The selected ones; nil: this is not known.
    var selected: [Reference]?
    /// The first that is seen; nil: this is not known, or the list is empty.
    var first: Reference?
    /// How far the list was scrolled, in lines; nil: this is not known.
    var offset: Double?
    /// Whether they are told by their places, which lead to other elements after a reorder.
    let isPositional: Bool

    fileprivate enum Key {
        static let selectedModels: StaticString = "selectedModelIdentifiers"
        static let firstModel: StaticString = "firstVisibleModelIdentifier"
        static let selectedPlaces: StaticString = "selectedIndexPaths"
        static let firstPlace: StaticString = "firstVisibleIndexPath"
        /// True beside places, so that who looks at the state knows.
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
    /// The saved elements.
    ///
    /// - Parameter offset: how far the list was scrolled.
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
