public import StateRestoration

/// A row of segments, at most one of which is selected.
///
/// A segmented control preserves the selected segment (V7).
open class SegmentedControl: Control, ElementSelecting {
    private var boundedValue = BoundedValue<Int?>(nil) {
        didSet { if boundedValue.value != oldValue.value { restorableStateDidChange() } }
    }

    /// The titles of the segments, in the order in which the control shows them.
    public var segments: [String] = [] {
        didSet { boundedValue.boundsDidChange(adjust, else: nil) }
    }

    /// The zero-based index of the selected segment, or `nil` if no segment is selected.
    ///
    /// Setting an invalid index deselects all segments.
    public var selectedSegmentIndex: Int? {
        get { boundedValue.value }
        set { boundedValue.set(adjust(newValue) ?? nil, adjust) }
    }

    private func adjust(_ index: Int?) -> Int?? {
        guard let index, !segments.indices.contains(index) else { return .some(index) }
        return nil
    }

    /// Selects a segment on behalf of the user and runs the actions for ``Control/Event/valueChanged``.
    open func select(_ indexes: [Int]) throws(OperationError) {
        try requireEnabled()
        selectedSegmentIndex = try segments.onlyIndex(of: indexes, "segment")
        sendActions(for: .valueChanged)
    }

    /// Draws the titles in a row, with brackets around the selected segment.
    open override func draw(on canvas: inout TextCanvas) {
        canvas.line(segments, selectedIndex: selectedSegmentIndex, of: self)
    }

    /// Returns a group of radio button elements.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        [
            AccessibilityElement(
                .radiogroup, of: .radio, titles: segments, selectedIndex: selectedSegmentIndex,
                target: self, isEnabled: isEnabled)
        ]
    }

    /// The segments and the index of the selected segment.
    ///
    /// A storyboard must set the segments first.
    open override var properties: [Property] {
        [
            Property("segments", of: self, \.segments),
            Property("selectedSegmentIndex", self.selectedSegmentIndex?.inspectionValue) {
                [self] value throws(PropertyError) in
                let index = try Int(storyboardValue: value)
                guard segments.indices.contains(index) else {
                    throw .invalidValue(
                        "there is no segment \(index): set `segments` first, and use an index below "
                            + "the number of segments")
                }
                selectedSegmentIndex = index
            },
        ] + super.properties
    }

    /// Encodes the selected segment (V7).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(selectedSegmentIndex, forKey: "selectedSegmentIndex")
    }

    /// Decodes the selected segment, without running actions.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        let savedIndex = try coder.decode(Int.self, forKey: "selectedSegmentIndex")
        boundedValue.restore(savedIndex, adjust)
    }

    /// Discards the saved index if its segment still does not exist.
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        boundedValue.finishRestoration()
    }
}
