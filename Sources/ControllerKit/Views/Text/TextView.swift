import ExactText
public import StateRestoration

/// Lines of text that a person edits, broken to the visible width, and scrolled.
///
/// Preserves its selection and whether it is editable (V4), and what of it is seen (V1). The text
/// itself is its controller's to encode, as in UIKit: ``RestorableText`` does it in one line.
///
/// ``ScrollView/contentSize`` follows the text. Two of the visible columns are kept free, for the
/// caret and the marks of the selection.
open class TextView: ScrollView, TextInput, TextHolding {
    private var content = EditedText()
    private var layout = TextLayout("", width: 1)
    private var layoutColumns = 1
    private var editingActions: [() -> Void] = []

    /// The text. Setting it puts the caret behind it; what is seen stays where it is, if the text
    /// reaches so far.
    public var text: String {
        get { content.text }
        set {
            content.text = newValue
            layOut()
            restorableStateDidChange()
        }
    }

    /// Whether the view saves its text by itself; else it is its controller's to encode (V4).
    public var preservesText = false {
        didSet { if preservesText != oldValue { invalidateRestorableState() } }
    }

    /// Whether a person can edit the text. One that is not editable can be selected all the same.
    public var isEditable = true {
        didSet { if isEditable != oldValue { restorableStateDidChange() } }
    }

    /// The selected characters (grapheme clusters), counted from 0; an empty range is the caret.
    public var selectedRange: Range<Int> { content.selectedRange }

    /// Selects characters.
    ///
    /// - Returns: false, and nothing changed, if the range does not fit the text.
    @discardableResult
    public func select(_ range: Range<Int>) -> Bool {
        guard content.select(range) else { return false }
        restorableStateDidChange()
        return true
    }

    /// Runs an action each time a person changed the text. Setting the text in code does not run
    /// it.
    public func addEditingAction(_ action: @escaping () -> Void) {
        editingActions.append(action)
    }

    /// Runs the actions for an edit.
    public func sendEditingActions() {
        for action in editingActions { action() }
    }

    // MARK: What a person does

    /// A person types: the caret is scrolled to, and the actions for an edit run.
    open func type(_ text: String, appending: Bool) throws(OperationError) {
        guard isEditable else { throw .notPossible("it is not editable") }
        content.type(text, appending: appending)
        if appending { layoutDidChange { $0.extend(to: content.text) } } else { layOut() }
        restorableStateDidChange()
        scrollToSelection()
        sendEditingActions()
    }

    /// A person selects characters, or places the caret, and sees where that is.
    open func chooseText(_ range: Range<Int>) throws(OperationError) {
        guard select(range) else { throw content.misfit(range) }
        scrollToSelection()
    }

    /// A person presses a key: the caret is scrolled to, and the actions for an edit run if the text is
    /// another then.
    open func edit(_ edit: TextEdit) throws(OperationError) {
        guard isEditable || !edit.changesText else { throw .notPossible("it is not editable") }
        let before = edit.changesText ? text : nil
        content.apply(
            edit, lines: SeenLines(layout: layout, page: max(1, Int(whole: visibleSize.height) - 1))
        )
        let isChanged = before.map { $0 != text } ?? false
        if isChanged { layOut() }
        restorableStateDidChange()
        if case .extendSelection = edit {
            scroll(toCharacter: content.movedEnd)
        } else {
            scrollToSelection()
        }
        if isChanged { sendEditingActions() }
    }

    /// Scrolls as far as it takes to see the caret, or where the selection begins.
    public func scrollToSelection() { scroll(toCharacter: selectedRange.lowerBound) }

    private func scroll(toCharacter character: Int) {
        let line = Double(layout.line(of: character)) * zoomScale
        let highest = line + zoomScale - visibleSize.height
        contentOffset.y = contentOffset.y.clamped(min(highest, line), line)
    }

    // MARK: Layout

    /// Breaks the text anew if it has to be.
    open override func visibleSizeDidChange() {
        super.visibleSizeDidChange()
        if layoutColumns != textColumns { layOut() }
        contentSize.width = visibleSize.width
    }

    private var textColumns: Int { max(1, Int(whole: visibleSize.width) - 2) }

    private func layOut() {
        layoutColumns = textColumns
        layoutDidChange { $0 = TextLayout(content.text, width: layoutColumns) }
    }

    private func layoutDidChange(_ change: (inout TextLayout) -> Void) {
        change(&layout)
        contentSize = Size(width: visibleSize.width, height: Double(layout.lines.count))
    }

    // MARK: Drawing

    /// A box with what is seen of the text.
    open override func draw(on canvas: inout TextCanvas) {
        var inside = canvas.boxed
        super.draw(on: &inside)
        canvas.box(inside)
    }

    /// The lines with the caret, or with the selection in guillemets.
    open override func drawContent(lines: Range<Int>, on canvas: inout TextCanvas) {
        let marks = TextMarks(selectedRange, in: text, layout)
        for line in lines.clamped(to: layout.lines.indices) {
            canvas.line(marks.marked(line))
        }
    }

    // MARK: Storyboard

    /// The text, the selection and whether it is editable.
    open override var properties: [Property] {
        [
            Property("text", of: self, \.text),
            Property("preservesText", of: self, \.preservesText, isShown: false),
            Property("isEditable", of: self, \.isEditable),
            Property("selectedRange", .range(self.selectedRange)),
        ] + super.properties
    }

    // MARK: Preservation

    /// Stores the selection, whether it is editable (V4), and what is seen (V1).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        if preservesText { coder.encode(text, forKey: "text") }
        coder.encode(selectedRange, forKey: "selectedRange")
        coder.encode(isEditable, forKey: "isEditable")
    }

    /// Takes back the selection, whether it is editable, what is seen, and the text if the view
    /// saves it.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let value = try coder.decode(Bool.self, forKey: "isEditable") { isEditable = value }
        if preservesText, let text = try coder.decode(String.self, forKey: "text") {
            self.text = text
        }
        if let range = try coder.decode(Range<Int>.self, forKey: "selectedRange") {
            content.restore(range)
        }
    }

    /// Everything is there again: a selection that still does not fit the text is dropped (V4).
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        content.endRestoring()
    }
}
