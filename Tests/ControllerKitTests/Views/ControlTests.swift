import ControllerKit
import StateRestoration
import Testing

/// Tests when a view runs the actions of its program.
@Suite struct ControlTests {
    @Test func `an action finds the value that the user has chosen`() throws {
        var seen: [String] = []
        let pages = PageControl()
        pages.numberOfPages = 3
        pages.addAction(for: .valueChanged) { seen.append("page \(pages.currentPage)") }
        try pages.select([2])
        let segments = SegmentedControl()
        segments.segments = ["a", "b"]
        segments.addAction(for: .valueChanged) {
            seen.append("segment \(segments.selectedSegmentIndex ?? -1)")
        }
        try segments.select([1])
        let slider = Slider()
        slider.addAction(for: .valueChanged) { seen.append("value \(slider.value)") }
        try slider.type("0.5", appending: false)
        try slider.edit(.move(.endOfLine))
        let secret = SecureTextField()
        secret.addAction(for: .editingChanged) {
            seen.append("secret \(secret.secret.value ?? "")")
        }
        try secret.type("x", appending: false)
        let field = TextField()
        field.addAction(for: .editingChanged) { seen.append("text \(field.text)") }
        try field.type("y", appending: false)
        #expect(
            seen == ["page 2", "segment 1", "value 0.5", "value 1.0", "secret x", "text y"])
    }

    @Test func `a tap on a switch runs the actions for the value before the primary actions`()
        throws
    {
        let control = Switch()
        var seen: [String] = []
        control.addAction(for: .primaryActionTriggered) { seen.append("tapped \(control.isOn)") }
        control.addAction(for: .valueChanged) { seen.append("changed \(control.isOn)") }
        try control.tap()
        #expect(seen == ["changed true", "tapped true"])
    }

    @Test func `a disabled button runs no action`() {
        var runs = 0
        let button = Button(title: "Go") { runs += 1 }
        button.isEnabled = false
        #expect(throws: OperationError.notPossible("it is disabled")) { try button.tap() }
        #expect(runs == 0)
    }

    @Test func `all editing actions of a text view run in order, after it has scrolled`() throws {
        let view = TextView()
        view.visibleSize = Size(width: 10, height: 2)
        var seen: [String] = []
        for number in 1...2 {
            view.addEditingAction { seen.append("\(number) at \(view.contentOffset.y)") }
        }
        try view.type("a\nb\nc", appending: false)
        #expect(seen == ["1 at 1.0", "2 at 1.0"])
    }

    @Test(arguments: [ScrollView.self, TextView.self] as [ScrollView.Type])
    func `a view whose zoom limits are equal cannot be zoomed`(type: ScrollView.Type) {
        let view = type.init()
        #expect(throws: OperationError.notPossible("its zoom scale is fixed at 1.0")) {
            try view.zoom(to: 2)
        }
        #expect(view.zoomScale == 1)
    }

    @Test func `lowering a slider's maximum slightly below its minimum lowers the minimum`() {
        let slider = Slider()
        slider.minimumValue = 0.5
        slider.maximumValue = 0.25
        #expect([slider.minimumValue, slider.value, slider.maximumValue] == [0.25, 0.25, 0.25])
    }
}
