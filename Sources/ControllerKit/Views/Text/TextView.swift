import ExactText
public import StateRestoration

/// A scrollable view for multiple lines of text that the user can edit.
///
/// Lines are wrapped to the visible width.
///
/// A text view preserves its selection, whether it is editable (V4), and which part of the text is visible (V1). As in
/// UIKit, its controller encodes the text. ``RestorableText`` does this for the controller.
///
/// The view updates ``ScrollView/contentSize`` when the text changes. Two of the visible columns are reserved for the
/// caret or the guillemets around the selection.
open class TextView: ScrollView, TextInput, RestorableTextInput {
    private var editedText = EditedText()
    /// The text, wrapped to the visible width.
    private var layout = TextLayout("", width: 1)
    /// The width of ``layout`` in columns.
    private var layoutColumns = 1
    private var drawnLayoutCache = DrawnLayoutCache()
    /// The lines of the drawing that the user sees during an edit, or `nil` for an edit that uses the view's own lines.
    private var drawnLines: WrappedLines?
    /// The actions that were added with ``addEditingAction(_:)``.
    private var editingActions: [() -> Void] = []

    /// The text.
    ///
    /// Setting the text moves the caret to the end. The view scrolls only if the new text is too short for the current
    /// offset.
    public var text: String {
        get { editedText.text }
        set {
            editedText.text = newValue
            layOut()
            restorableStateDidChange()
        }
    }

    /// Whether the view saves its text itself.
    ///
    /// If the value is `false`, the view's controller encodes the text (V4).
    public var preservesText = false {
        didSet { if preservesText != oldValue { invalidateRestorableState() } }
    }

    /// Whether the user can edit the text.
    ///
    /// Text that is not editable can still be selected.
    public var isEditable = true {
        didSet { if isEditable != oldValue { restorableStateDidChange() } }
    }

    /// The zero-based range of selected characters (grapheme clusters).
    ///
    /// An empty range is the position of the caret.
    public var selectedRange: Range<Int> { editedText.selectedRange }

    /// Selects characters.
    ///
    /// - Returns: `false` if nothing changed because the range does not fit the text.
    @discardableResult
    public func select(_ range: Range<Int>) -> Bool {
        guard editedText.select(range) else { return false }
        restorableStateDidChange()
        return true
    }

    /// Adds an action that runs whenever the user changes the text.
    ///
    /// Setting the text in code does not run the action.
    public func addEditingAction(_ action: @escaping () -> Void) {
        editingActions.append(action)
    }

    /// Runs the actions that were added with ``addEditingAction(_:)``.
    public func sendEditingActions() {
        for action in editingActions { action() }
    }

    // MARK: User operations

    /// Replaces or extends the text on behalf of the user, then scrolls to the caret and runs the editing actions.
    open func type(_ text: String, appending: Bool) throws(OperationError) {
        guard isEditable else { throw .notPossible("it is not editable") }
        editedText.type(text, appending: appending)
        if appending { updateLayout { $0.extend(to: editedText.text) } } else { layOut() }
        restorableStateDidChange()
        scrollToSelection()
        sendEditingActions()
    }

    /// Performs an edit on behalf of a user who sees the view in a drawing with a requested height.
    ///
    /// - Parameter size: The size of the view in the drawing, in columns and lines.
    package func edit(
        _ edit: TextEdit, drawnSize size: (columns: Int, lines: Int)
    ) throws(OperationError) {
        // The box and the line that states the visible range are not part of the visible text. A page is one line
        // shorter.
        drawnLines = WrappedLines(
            layout: drawnLayout(columns: contentColumns(in: size.columns)),
            linesPerPage: max(1, size.lines - 4))
        defer { drawnLines = nil }
        try self.edit(edit)
    }

    /// Selects characters or moves the caret on behalf of the user, then scrolls to the selection.
    open func selectText(_ range: Range<Int>) throws(OperationError) {
        guard select(range) else { throw editedText.outOfRangeError(range) }
        scrollToSelection()
    }

    /// Performs an edit on behalf of the user, scrolls to the caret, and runs the editing actions if the text changed.
    open func edit(_ edit: TextEdit) throws(OperationError) {
        guard isEditable || !edit.changesText else { throw .notPossible("it is not editable") }
        let previousText = edit.changesText ? text : nil
        editedText.apply(
            edit,
            lines: drawnLines.take()
                ?? WrappedLines(
                    layout: layout, linesPerPage: max(1, Int(flooring: visibleSize.height) - 1)))
        let isTextChanged = previousText.map { $0 != text } ?? false
        if isTextChanged { layOut() }
        restorableStateDidChange()
        if case .extendSelection = edit {
            scroll(toCharacter: editedText.activeEnd)
        } else {
            scrollToSelection()
        }
        if isTextChanged { sendEditingActions() }
    }

    /// Scrolls by the minimum amount that makes the caret or the start of the selection visible.
    public func scrollToSelection() { scroll(toCharacter: selectedRange.lowerBound) }

    private func scroll(toCharacter characterIndex: Int) {
        let line = Double(layout.line(of: characterIndex)) * zoomScale
        let highestOffset = line + zoomScale - visibleSize.height
        contentOffset.y = contentOffset.y.clamped(min(highestOffset, line), line)
    }

    // MARK: Layout

    /// Rewraps the text if the visible width has changed.
    open override func visibleSizeDidChange() {
        super.visibleSizeDidChange()
        if layoutColumns != textColumns { layOut() }
        contentSize.width = visibleSize.width
    }

    private var textColumns: Int { max(1, Int(flooring: visibleSize.width) - 2) }

    private func layOut() {
        layoutColumns = textColumns
        updateLayout { $0 = TextLayout(editedText.text, width: layoutColumns) }
    }

    private func updateLayout(_ change: (inout TextLayout) -> Void) {
        change(&layout)
        drawnLayoutCache.invalidate()
        contentSize = Size(width: visibleSize.width, height: Double(layout.lines.count))
    }

    private func drawnLayout(columns: Int) -> TextLayout {
        let columns = max(1, columns - 2)
        if columns == layoutColumns { return layout }
        return drawnLayoutCache.layout(of: editedText.text, columns: columns)
    }

    // MARK: Drawing

    override func contentHeight(columns: Int) -> Int {
        super.contentHeight(columns: columns) + 2
    }

    override func contentColumns(in columns: Int) -> Int { TextCanvas(width: columns).boxed.width }

    override func lineMapping(columns: Int) -> LineMapping? {
        LineMapping(viewLayout: layout, drawnLayout: drawnLayout(columns: columns))
    }

    /// Returns the line with the caret, or `nil` if the text is not editable or the caret is not in the view's own
    /// visible part.
    override func lineToShow(in layout: TextLayout) -> Int? {
        guard isEditable else { return nil }
        let firstLine = Int(flooring: contentOffset.y / zoomScale)
        let lineCount = max(1, Int(flooring: visibleSize.height / zoomScale))
        return [selectedRange.lowerBound, editedText.activeEnd]
            .first { firstLine..<firstLine + lineCount ~= self.layout.line(of: $0) }
            .map(layout.line(of:))
    }

    /// Draws a box with the visible part of the text.
    open override func draw(on canvas: inout TextCanvas) {
        var boxCanvas = canvas.boxed
        super.draw(on: &boxCanvas)
        canvas.box(boxCanvas)
    }

    /// Draws the visible lines with the caret, or with guillemets around the selection.
    open override func drawContent(lines: Range<Int>, on canvas: inout TextCanvas) {
        let layout = drawnLayout ?? layout
        let selectionMarkers = SelectionMarkers(selectedRange, in: text, layout)
        for line in lines.clamped(to: layout.lines.indices) {
            canvas.line(selectionMarkers.markedLine(line))
        }
    }

    /// Returns a text box element, or a text element if the user cannot edit the text.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        var element = AccessibilityElement(isEditable ? .textbox : .text, target: self)
        element.value = text
        if isEditable {
            element.text = AccessibilityText()
            element.text?.isMultiline = true
            element.text?.selection = selectedRange
            element.actions = [.replaceText]
        }
        return [element]
    }

    // MARK: Storyboard

    /// The text, the selection, and whether the text is editable.
    open override var properties: [Property] {
        [
            Property("text", of: self, \.text),
            Property("preservesText", of: self, \.preservesText, isShown: false),
            Property("isEditable", of: self, \.isEditable),
            Property("selectedRange", .range(self.selectedRange)),
        ] + super.properties
    }

    // MARK: Preservation

    /// Encodes the selection, whether the text is editable (V4), and the visible part (V1).
    ///
    /// If ``preservesText`` is `true`, the view also encodes the text.
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        if preservesText { coder.encode(text, forKey: "text") }
        coder.encode(selectedRange, forKey: "selectedRange")
        coder.encode(isEditable, forKey: "isEditable")
    }

    /// Decodes the selection, whether the text is editable, and the visible part.
    ///
    /// If ``preservesText`` is `true`, the view also decodes the text.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let value = try coder.decode(Bool.self, forKey: "isEditable") { isEditable = value }
        if preservesText, let text = try coder.decode(String.self, forKey: "text") {
            self.text = text
        }
        if let range = try coder.decode(Range<Int>.self, forKey: "selectedRange") {
            editedText.restore(range)
        }
    }

    /// Discards the saved selection if it still does not fit the text (V4).
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        editedText.finishRestoration()
    }
}
