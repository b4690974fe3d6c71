import ControllerKit
import StateRecords
import StateRestoration
import Testing

@Suite struct ViewTests {
    @Test func `a view has only one superview at a time`() {
        let first = View()
        let second = View()
        let inner = View()
        first.addSubview(inner)
        second.addSubview(inner)
        #expect(first.subviews.isEmpty)
        #expect(second.subviews.map(ObjectIdentifier.init) == [ObjectIdentifier(inner)])
        #expect(inner.superview === second)
        inner.removeFromSuperview()
        #expect(second.subviews.isEmpty)
        #expect(inner.superview == nil)
        inner.removeFromSuperview()
    }

    @Test func `adding a view again puts it on top`() {
        let outer = View()
        let views = [View(), View()]
        for view in views { outer.addSubview(view) }
        outer.addSubview(views[0])
        #expect(
            outer.subviews.map(ObjectIdentifier.init)
                == [views[1], views[0]].map(ObjectIdentifier.init))
    }

    @Test func `a subview is inserted at the given index, clamped to the valid range`() {
        let outer = View()
        let views = [View(), View(), View()]
        outer.addSubview(views[1])
        outer.insertSubview(views[0], at: -1)
        outer.insertSubview(views[2], at: 99)
        outer.insertSubview(views[2], at: 1)
        #expect(
            outer.subviews.map(ObjectIdentifier.init)
                == [views[0], views[2], views[1]].map(ObjectIdentifier.init))
    }

    @Test func `a view belongs to the controller whose view contains it`() {
        let controller = ViewController()
        let inner = View()
        let box = View()
        box.addSubview(inner)
        #expect(inner.viewController == nil)
        controller.view.addSubview(box)
        #expect(inner.viewController === controller)
        #expect(controller.view.viewController === controller)
        #expect(inner.restorationParent === controller)
    }

    @Test func `P11: a view is preserved through views without identifiers`() throws {
        let controller = ViewController.named("page")
        let inner = View()
        inner.restorationIdentifier = "inner"
        let box = View()
        box.addSubview(inner)
        controller.view.addSubview(box)
        let application = TestApplication(controller)
        try application.launch()
        let output = try #require(application.save())
        #expect(output.objects.map(\.header.identifier) == ["main", "page", "inner"])
    }

    @Test func `a child's views belong to the child, wherever they are shown`() throws {
        let child = FieldController.named("child")
        let parent = ViewController.named("parent")
        parent.addChild(child)
        parent.view.addSubview(child.view)
        let application = TestApplication(parent)
        try application.launch()
        application.save()
        let survey = TreeSurvey(try #require(application.scene))
        #expect(
            survey.entries().map(\.address) == ["parent", "parent/child", "parent/child/field"])
    }

    @Test func `a hidden view is not drawn`() {
        let outer = View()
        let field = TextField()
        outer.addSubview(field)
        #expect(lines(of: outer).count == 3)
        field.isHidden = true
        #expect(lines(of: outer).isEmpty)
    }

    @Test func `added and removed views are saved in the next pass`() throws {
        let controller = ViewController.named("page")
        let application = TestApplication(controller)
        try application.launch()
        application.save()
        let scene = try #require(application.scene)
        let field = TextField()
        field.restorationIdentifier = "late"
        controller.view.addSubview(field)
        #expect(scene.needsPass)
        #expect(application.save()?.objects.map(\.header.identifier) == ["late"])
        field.removeFromSuperview()
        #expect(scene.needsPass)
        #expect(application.save()?.removals.count == 1)
    }
}
