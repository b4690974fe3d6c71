import ControllerKit
import StateRestoration
import Testing

@Suite struct RestorablePropertyTests {
    private class PageController: ViewController {
        @Restorable("text") var text = ""

        override func restorables(_ visitor: inout some RestorableVisitor) {
            super.restorables(&visitor)
            visitor.visit(&$text)
        }
    }

    private final class NumberedController: PageController {
        @Restorable("number") var number: Int?
        let gauge = Gauge()

        override func restorables(_ visitor: inout some RestorableVisitor) {
            super.restorables(&visitor)
            visitor.visit(&$number)
        }

        override func viewDidLoad() {
            super.viewDidLoad()
            gauge.restorationIdentifier = "gauge"
            view.addSubview(gauge)
        }
    }

    private final class Gauge: View {
        @Restorable("level") var level = 0.0

        override func restorables(_ visitor: inout some RestorableVisitor) {
            super.restorables(&visitor)
            visitor.visit(&$level)
        }
    }

    @Test
    func `P9: controllers and views save the properties that they and their superclasses list`()
        throws
    {
        let page = NumberedController.named("page")
        page.text = "hello"
        page.number = 3
        page.loadViewIfNeeded()
        page.gauge.level = 0.75
        let application = TestApplication(page)
        try application.launch()
        #expect(application.save()?.diagnostics == [])

        let next = NumberedController.named("page")
        next.number = 7
        let restored = TestApplication(next)
        let report = try restored.launch(restoring: application)
        #expect(report.unrestored == [])
        #expect(next.text == "hello")
        #expect(next.number == 3)
        #expect(next.gauge.level == 0.75)

        let scene = try #require(restored.scene)
        restored.save()
        #expect(!scene.needsPass)
        next.gauge.level = 0.75
        #expect(!scene.needsPass)
        next.gauge.level = 0.5
        #expect(scene.needsPass)
    }
}
