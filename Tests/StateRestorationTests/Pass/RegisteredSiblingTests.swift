import StateRestoration
import Testing

/// Registered objects that share a parent or an identifier, or that change their parent (I4, P12).
@Suite struct RegisteredSiblingTests {
    private func object(below parent: TestObject?, value: Int? = nil) -> TestObject {
        let object = TestObject(nil, .object, value: value)
        object.parentObject = parent
        return object
    }

    private func register(
        _ object: TestObject, _ identifier: RestorationIdentifier, in test: TestScene
    ) throws {
        try test.scene.registerObject(
            forStateRestoration: object, restorationIdentifier: identifier)
    }

    @Test func `P12: the paths of all objects with the same identifier are taken`() throws {
        let parents = [TestObject("a"), TestObject("b")]
        let test = try TestScene.launched(TestObject("nav", parents))
        let objects = parents.map { object(below: $0) }
        for object in objects { try register(object, "player", in: test) }
        for parent in parents {
            #expect(throws: RegistrationError.self) {
                try register(object(below: parent), "player", in: test)
            }
        }
        test.save()
        #expect(
            test.archive.paths == ["nav", "nav/a", "nav/a/player", "nav/b", "nav/b/player"])
        withExtendedLifetime(objects) {}
    }

    @Test func `I4: all registered objects of a parent are saved below it and have addresses`()
        throws
    {
        let root = TestObject("nav")
        let test = try TestScene.launched(root)
        let objects = (0...1).map { object(below: root, value: $0) }
        try register(objects[0], "first", in: test)
        try register(objects[1], "second", in: test)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/first", "nav/second"])
        let survey = TreeSurvey(test.scene)
        #expect(survey.object(at: "nav/first") === objects[0])
        #expect(survey.object(at: "nav/second") === objects[1])
        #expect(survey.address(of: objects[1]) == "nav/second")
    }

    @Test func `I4: a registered object that is a root is found at its address`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        let object = object(below: nil)
        try register(object, "player", in: test)
        test.save()
        #expect(TreeSurvey(test.scene).object(at: "player") === object)
    }

    @Test func `I4: a registered object that gets another parent is saved below the new parent`()
        throws
    {
        let (old, new) = (TestObject("a"), TestObject("b"))
        let test = try TestScene.launched(TestObject("nav", [old, new]))
        let object = object(below: old, value: 1)
        try register(object, "player", in: test)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/a/player", "nav/b"])
        object.parentObject = new
        object.restoration.invalidateStructure()
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b", "nav/b/player"])
        #expect(test.save(isFull: true)?.isEmpty == true)
        withExtendedLifetime(object) {}
    }

    @Test func `P12: a registered object that is also a child has one address`() throws {
        let child = TestObject("child")
        let test = try TestScene.launched(TestObject("nav", [TestObject("first"), child]))
        try register(child, "child", in: test)
        test.save()
        let survey = TreeSurvey(test.scene)
        #expect(survey.object(at: "nav/child") === child)
        #expect(survey.object(at: "nav/child~2") == nil)
    }
}
