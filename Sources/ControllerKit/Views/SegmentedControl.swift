public import StateRestoration

/// A row of segments of which one is selected, or none. Preserves which (V7).
open class SegmentedControl: Control, ElementChoosing {
    private var bounded = BoundedValue<Int?>(nil) {
        didSet { if bounded.value != oldValue.value { restorableStateDidChange() } }
    }

    /// The segments' titles, in order.
    public var segments: [String] = [] {
        didSet { bounded.boundsDidChange(fit, else: nil) }
    }

    /// The selected segment, counted from 0; nil: none. Setting an index that no segment has
    /// selects none.
    public var selectedSegmentIndex: Int? {
        get { bounded.value }
        set { bounded.set(fit(newValue) ?? nil, fit) }
    }

    private func fit(_ index: Int?) -> Int?? {
        guard let index, !segments.indices.contains(index) else { return .some(index) }
        return nil
    }

    /// A person chooses a segment, and the actions for a changed value run.
    open func choose(_ indexes: [Int]) throws(OperationError) {
        try requireEnabled()
        selectedSegmentIndex = try segments.onlyIndex(of: indexes, "segment")
        sendActions(for: .valueChanged)
    }

    /// The titles in a row, the selected one in brackets.
    open override func draw(on canvas: inout TextCanvas) {
        canvas.line(segments, chosen: selectedSegmentIndex, of: self)
    }

    /// The segments and, stated behind them, the selected one.
    open override var properties: [Property] {
        [
            Property("segments", of: self, \.segments),
            Property("selectedSegmentIndex", self.selectedSegmentIndex?.inspected) {
                [self] value throws(PropertyError) in
                let index = try Int(stated: value)
                guard segments.indices.contains(index) else {
                    throw .invalidValue(
                        "\(index) is no segment: state `segments` first, and an index below "
                            + "their number")
                }
                selectedSegmentIndex = index
            },
        ] + super.properties
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
        bounded.restore(saved, fit)
    }

    /// Everything is there again: a segment that is not there now is given up.
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        bounded.endRestoring()
    }
}
