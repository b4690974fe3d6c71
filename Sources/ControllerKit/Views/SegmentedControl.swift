public import StateRestoration

/// A row of segments of which one is selected, or none. Preserves which (V7).
open class SegmentedControl: Control, ElementChoosing {
    private var bounded = BoundedValue<Int?>(nil)

    /// The segments' titles, in order.
    public var segments: [String] = [] {
        didSet { update { $0.boundsDidChange(fit, else: nil) } }
    }

    /// The selected segment, counted from 0; nil: none. Setting an index that no segment has
    /// selects none.
    public var selectedSegmentIndex: Int? {
        get { bounded.value }
        set { update { $0.set(fit(newValue) ?? nil, fit) } }
    }

    private func fit(_ index: Int?) -> Int?? {
        guard let index, !segments.indices.contains(index) else { return .some(index) }
        return nil
    }

    private func update(_ change: (inout BoundedValue<Int?>) -> Void) {
        let before = bounded.value
        change(&bounded)
        if bounded.value != before { restorableStateDidChange() }
    }

    /// A person chooses a segment, and the actions for a changed value run.
    open func choose(_ indexes: [Int]) throws(OperationError) {
        try requireEnabled()
        selectedSegmentIndex = try segments.onlyIndex(of: indexes, "segment")
        sendActions(for: .valueChanged)
    }

    /// The titles in a row, the selected one in brackets.
    open override func draw(on canvas: inout TextCanvas) {
        let titles = segments.enumerated().map { index, title in
            index == selectedSegmentIndex ? "[ \(title) ]" : "  \(title)  "
        }
        canvas.line(titles.joined(separator: " "))
    }

    /// The segments, and the selected one.
    open override var inspectedProperties: [String: Value] {
        var properties = super.inspectedProperties
        properties["segments"] = .array(segments.map { .string($0) })
        if let index = selectedSegmentIndex {
            properties["selectedSegmentIndex"] = .integer(Int64(index))
        }
        return properties
    }

    /// Sets `segments` or `selectedSegmentIndex`.
    open override func setProperty(
        _ name: String, to value: PropertyValue
    ) throws(PropertyError) {
        switch name {
        case "segments": segments = try value.strings()
        case "selectedSegmentIndex":
            let index = try value.integer()
            guard segments.indices.contains(index) else {
                throw .invalidValue(
                    "\(index) is no segment: state `segments` first, and an index below their number"
                )
            }
            selectedSegmentIndex = index
        default:
            try inherited(
                ["segments", "selectedSegmentIndex"], try super.setProperty(name, to: value))
        }
    }

    /// Stores the selected segment (V7).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(selectedSegmentIndex, forKey: "selectedSegmentIndex")
    }

    /// Takes the selected segment back, or that none was; the actions do not run.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        let saved = try coder.decode(Int.self, forKey: "selectedSegmentIndex")
        update { $0.restore(saved, fit) }
    }

    /// Everything is there again: a segment that is not there now is given up.
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        bounded.endRestoring()
    }
}
